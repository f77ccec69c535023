"""Tiny random models of real architectures, with a word-piece tokenizer, saved as users' models are."""

from collections.abc import Iterable
from pathlib import Path

import torch
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    BertConfig,
    BertForMaskedLM,
    BertModel,
    BertTokenizer,
    DistilBertConfig,
    DistilBertForMaskedLM,
    RobertaConfig,
    RobertaForMaskedLM,
)

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SENTENCE = (
    "the a cat dog bird house city team wins loses sits on under new old big small red at night why how"
)
WORDS = _SENTENCE.split(" ")
PIECES = ["##s", "##ing", "##ed", "##er", *(f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")]
LETTERS = list("abcdefghijklmnopqrstuvwxyz.,!?")
VOCABULARY = [*SPECIAL, *dict.fromkeys([*WORDS, *PIECES, *LETTERS])]

TEXTS = (
    "The cat sits on the house.",
    "the dogs under a red house at night",
    "why the team loses!",
    "a",
    "How old teams win, and new ones lose: the city at night, the bird, the cat, the dog and the house?",
    "the cat sits on the house.",
    "[SEP] a [MASK] cat [CLS] dog",
    "zebra quiz 漢字",
)

_SHAPE = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}


def save_tokenizer(folder: Path) -> None:
    """A lower-casing word-piece tokenizer of the tiny vocabulary."""
    vocabulary = {piece: number for number, piece in enumerate(VOCABULARY)}
    BertTokenizer(vocab=vocabulary, model_max_length=64).save_pretrained(folder)


def _save(model: torch.nn.Module, folder: Path) -> Path:
    # Larger weights than the initial ones, or all distributions would be flat and all vectors alike.
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.15 * torch.randn_like(parameter))
    model.eval().save_pretrained(folder)
    save_tokenizer(folder)
    return folder


def save_bert(folder: Path, *, head: bool = True, positions: int = 64, **shape: int) -> Path:
    """A random BERT, with or without its masked-LM head."""
    torch.manual_seed(7)
    config = BertConfig(vocab_size=len(VOCABULARY), max_position_embeddings=positions, **{**_SHAPE, **shape})
    return _save(BertForMaskedLM(config) if head else BertModel(config), folder)


def save_bert_of(texts: Iterable[str], folder: Path, *, layers: int) -> Path:
    """A random BERT that tells cases apart and knows each letter of the texts, as multilingual models do."""
    torch.manual_seed(7)
    letters = sorted(set("".join(texts)) - set(" "))
    pieces = [*SPECIAL, *letters, *(f"##{letter}" for letter in letters)]
    shape = {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24}
    model = BertForMaskedLM(BertConfig(vocab_size=len(pieces), num_hidden_layers=layers, **shape))
    _save(model, folder)
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    BertTokenizer(
        vocab=vocabulary, do_lower_case=False, strip_accents=False, model_max_length=512
    ).save_pretrained(folder)
    return folder


def save_roberta(folder: Path) -> Path:
    """A random RoBERTa body and head, with the tiny word-piece tokenizer."""
    torch.manual_seed(8)
    config = RobertaConfig(
        vocab_size=len(VOCABULARY),
        max_position_embeddings=65,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        type_vocab_size=1,
        **_SHAPE,
    )
    return _save(RobertaForMaskedLM(config), folder)


def save_distilbert(folder: Path) -> Path:
    """A random DistilBERT: an architecture that the kernels do not know."""
    torch.manual_seed(9)
    config = DistilBertConfig(
        vocab_size=len(VOCABULARY), max_position_embeddings=64, dim=32, n_layers=3, n_heads=4, hidden_dim=48
    )
    return _save(DistilBertForMaskedLM(config), folder)


def save_bart(folder: Path) -> Path:
    """A random encoder-decoder."""
    torch.manual_seed(10)
    sides = {
        f"{side}_{name}": size
        for side in ("encoder", "decoder")
        for name, size in (("layers", 2), ("attention_heads", 4), ("ffn_dim", 48))
    }
    config = BartConfig(
        vocab_size=len(VOCABULARY),
        max_position_embeddings=64,
        d_model=32,
        pad_token_id=0,
        bos_token_id=2,
        eos_token_id=3,
        decoder_start_token_id=3,
        forced_eos_token_id=None,
        **sides,
    )
    return _save(BartForConditionalGeneration(config), folder)
