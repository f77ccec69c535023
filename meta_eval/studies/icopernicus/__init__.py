"""iCOPERNICUS (EMNLP 2024): do richer prompts make a language model serve its readers better?"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "adding": ["add_systems"],
        "generation": [
            "GeneratedStyle",
            "StyleQuestions",
            "generate_style",
            "style_questions",
        ],
        "options": ["GenerationOptions"],
        "paradoxes": ["find_paradoxes", "summarise_orders"],
        "tables": ["PromptStudy", "prompt_study_of"],
        "uncertainty": ["egises_by_style"],
    },
)
