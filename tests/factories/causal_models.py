"""Tiny causal models with a tokenizer of bytes and a chat template, saved as users' are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

HEADLINE_LABELS = ("Headline", "Headline for User1", "Headline for User2")
WRITTEN_HEADLINES = ("rain over the harbour", "council votes again", "storm hits the bridge", "sun at last")


def save_causal(folder: Path, *, positions: int = 128, layers: int = 2) -> Path:
    """Save a random model for texts of so many tokens; it is the same in every process."""
    import torch

    model, tokenizer = _untrained((), positions, layers)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return _save(model, tokenizer, folder)


def save_headline_writer(folder: Path, *, positions: int = 8192) -> Path:
    """Save a model that answers every prompt with a headline after each label, drawn from four, and ends."""
    # A headline is another piece after each label: what follows depends on the last piece alone.
    steps: list[list[str]] = []
    for place, label in enumerate(HEADLINE_LABELS):
        steps += [["\n" * bool(place) + f"{label}: "], [f"{text} {place}" for text in WRITTEN_HEADLINES]]
    return _save_writer(folder, steps, positions)


def save_answerer(folder: Path, *answers: str, positions: int = 8192) -> Path:
    """Save a model that answers every prompt with one of these, drawn, and ends."""
    return _save_writer(folder, [list(answers)], positions)


def _save_writer(folder: Path, written: Sequence[Sequence[str]], positions: int) -> Path:
    """Save a model that writes one of the texts of each step, step after step, and ends.

    Its tokenizer has a piece for each text beside the bytes. Attention and layers add nothing to the last
    token, whose place in the embedding says which pieces may follow.
    """
    import torch

    steps = [[" "], *written]
    coded = [[text.replace(" ", "\u0120").replace("\n", "\u010a") for text in step] for step in steps]
    model, tokenizer = _untrained([text for step in coded[1:] for text in step], positions, 1)
    number = tokenizer.convert_tokens_to_ids
    with torch.no_grad():
        for parameter in (model.model.layers[0].self_attn.o_proj, model.model.layers[0].mlp.down_proj):
            parameter.weight.zero_()
        # A piece after which nothing follows has a direction of its own: it could not be scaled without one.
        model.model.embed_tokens.weight.zero_()
        model.model.embed_tokens.weight[:, -1] = 1.0
        model.lm_head.weight.zero_()
        for place, (step, after) in enumerate(zip(coded, [*coded[1:], ["<end>"]], strict=True)):
            for text in step:
                model.model.embed_tokens.weight[number(text)] = torch.eye(32)[place]
            for text in after:
                model.lm_head.weight[number(text), place] = 10.0
    return _save(model, tokenizer, folder)


def _untrained(pieces: Sequence[str], positions: int, layers: int) -> tuple[Any, Any]:
    """A model and its tokenizer: bytes, and `pieces` that no text is cut into but a model may write."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {piece: number for number, piece in enumerate(["<end>", *letters, *pieces])}
    tokens = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token="<end>")
    tokenizer.chat_template = (
        "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}"
        "{% if add_generation_prompt %}assistant: {% endif %}"
    )
    torch.manual_seed(3)
    config = LlamaConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=layers,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=64,
        max_position_embeddings=positions,
        bos_token_id=None,
        eos_token_id=0,
    )
    return LlamaForCausalLM(config), tokenizer


def _save(model: Any, tokenizer: Any, folder: Path) -> Path:
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
