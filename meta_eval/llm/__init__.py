"""Language models: questions with typed answers, asked once, kept, and read strictly.

A `Question` is asked of a `Model` (`http`, `local` or `replay`); its `Form` says what an answer may be. What
cannot be read stays missing, with its reason. Nothing here is imported before a model is named.
"""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "asking": ["Asking"],
        "forms": ["Choice", "Form", "LineForm", "Passage", "Score", "Text"],
        "limits": ["Limits", "Price", "Usage"],
        "models": ["Model", "ModelError", "ModelOptions", "ReplayModel", "Reply", "parse_model"],
        "opening": ["open_model"],
        "prompts": ["Prompt", "fence", "load_prompt"],
        "questions": ["Question", "Request"],
        "replies": ["KeptReplies", "ReplyStore"],
        "runs": ["count_answers"],
        "signing": ["asked_signature", "digest_of"],
    },
)
