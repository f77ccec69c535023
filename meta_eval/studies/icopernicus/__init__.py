"""iCOPERNICUS (EMNLP 2024): do richer prompts make a language model serve its readers better?"""
