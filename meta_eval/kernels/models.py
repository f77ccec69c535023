"""Finding and loading models: the only kernel that reads files, and every fault is an error before any work.

A model is a folder, or a name on the Hugging Face hub that becomes a folder of the local cache. Weights are
read from safetensors only, and no code that comes with a model is run.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch

from meta_eval.errors import MeasureError

Task = Literal["masked-lm", "encoder", "causal-lm", "seq2seq-lm"]
_WEIGHTS = ("model.safetensors", "model.safetensors.index.json")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "sentencepiece.bpe.model", "spiece.model")
_LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
_UNLOADABLE = (OSError, ValueError, KeyError, ImportError, RuntimeError)
"""What transformers raises where the files of a model are not what it takes them for."""
_HUB_FILES = [
    "config.json",
    "model*.safetensors*",
    "tokenizer*",
    "vocab*",
    "merges.txt",
    "*.model",
    "*_map.json",
    "chat_template*",
]
_FETCHED = [*_HUB_FILES, "generation_config.json"]
"""What is taken from the hub; the last one says where a reply ends, and enters no revision."""


@dataclass(frozen=True, slots=True)
class ModelFolder:
    """A model's files on this machine. `revision`: commit hash on the hub, or SHA-256 of a local folder's
    files.
    """

    path: Path
    revision: str


@dataclass(frozen=True, slots=True)
class LoadedModel:
    """A transformers model in evaluation mode on the CPU, in float32, and its tokenizer."""

    module: Any
    tokenizer: Any

    @property
    def max_length(self) -> int | None:
        """The most word pieces the model takes, special ones included; None where there is no limit."""
        config = self.module.config
        positions = getattr(config, "max_position_embeddings", None)
        offset = (
            config.pad_token_id + 1
            if "roberta" in config.model_type or config.model_type == "camembert"
            else 0
        )
        return None if positions is None else int(positions) - offset


def find_model(name: str, revision: str | None = None) -> ModelFolder:
    """The folder of a model, fetched from the hub where it is neither a folder nor cached.

    Parameters
    ----------
    name : str
        A folder, or a name on the hub.
    revision : str, optional
        A commit, tag or branch of the hub.

    Returns
    -------
    ModelFolder

    Raises
    ------
    MeasureError
        Where there is no such model, no network, no safetensors weights or no tokenizer file.

    Examples
    --------
    >>> import tempfile
    >>> from meta_eval.errors import MeasureError
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         find_model(folder)
    ...     except MeasureError as error:
    ...         print("config.json" in str(error))
    True
    """
    folder = _any_folder(name, revision)
    _require_file(name, folder.path, ("config.json",), "no config.json: it is not a transformers model")
    _require_file(
        name,
        folder.path,
        _WEIGHTS,
        "no safetensors weights. Other formats are not read: convert them once with transformers, "
        "AutoModelForMaskedLM.from_pretrained(...).save_pretrained(FOLDER), and give that folder as model",
    )
    _require_tokenizer(name, folder)
    return folder


def find_tokenizer(name: str) -> ModelFolder:
    """The folder of a tokenizer alone, found as a model's is; no weights need be there."""
    folder = _any_folder(name, None)
    _require_tokenizer(name, folder)
    return folder


def _any_folder(name: str, revision: str | None) -> ModelFolder:
    return _local_folder(Path(name), revision) if _is_path(name) else _hub_folder(name, revision)


def _require_tokenizer(name: str, folder: ModelFolder) -> None:
    _require_file(
        name,
        folder.path,
        _TOKENIZERS,
        f"no tokenizer file ({', '.join(_TOKENIZERS)}): put the one that it was trained with beside it",
    )


def _is_path(name: str) -> bool:
    return Path(name).exists() or name.startswith((".", "/", "~")) or name.count("/") > 1 or "\\" in name


def _require_file(name: str, folder: Path, files: tuple[str, ...], fault: str) -> None:
    if not any((folder / file).is_file() for file in files):
        raise MeasureError(f"Model {name!r} has {fault}.")


def _local_folder(path: Path, revision: str | None) -> ModelFolder:
    path = path.expanduser()
    if not path.is_dir():
        raise MeasureError(f"There is no model folder {str(path)!r}.")
    if revision is not None:
        raise MeasureError(
            f"A model folder has no revisions: leave out revision={revision!r} for {str(path)!r}."
        )
    parts = sorted(item for item in path.iterdir() if item.is_file() and _matters(item.name))
    stamps = tuple((str(item), item.stat().st_mtime_ns, item.stat().st_size) for item in parts)
    return ModelFolder(path, f"sha256:{_digest(stamps)}")


def _matters(name: str) -> bool:
    return any(Path(name).match(pattern) for pattern in _HUB_FILES)


@lru_cache(maxsize=32)
def _digest(stamps: tuple[tuple[str, int, int], ...]) -> str:
    """SHA-256 over names and contents; the times and sizes in the key notice a file that was replaced."""
    total = hashlib.sha256()
    for file, _, _ in stamps:
        with open(file, "rb") as stream:
            content = hashlib.file_digest(stream, "sha256").hexdigest()
        total.update(f"{Path(file).name}\0{content}\n".encode())
    return total.hexdigest()


@lru_cache(maxsize=32)
def _hub_folder(name: str, revision: str | None) -> ModelFolder:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    at = f" at revision {revision!r}" if revision else ""
    try:
        path = Path(snapshot_download(name, revision=revision, allow_patterns=_FETCHED))
    except HFValidationError as error:
        raise MeasureError(
            f"{name!r} is neither a model folder nor the name of a model on the hub."
        ) from error
    except LocalEntryNotFoundError as error:
        raise MeasureError(
            f"Model {name!r}{at} is not on this machine, and the hub cannot be reached. Give a folder that "
            f"holds it as the model, or run `hf download {name}` where there is a network and set HF_HOME to "
            "its cache."
        ) from error
    except HfHubHTTPError as error:
        raise MeasureError(f"The hub does not give model {name!r}{at}: {_first_line(error)}") from error
    except OSError as error:
        raise MeasureError(
            f"Model {name!r}{at} cannot be fetched from the hub: {_first_line(error)}"
        ) from error
    return ModelFolder(path, path.name)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def load_model(name: str, folder: ModelFolder, task: Task) -> LoadedModel:
    """Model and tokenizer from a folder found before; MeasureError where the model cannot do the task."""
    from safetensors import SafetensorError
    from transformers import (
        AutoConfig,
        AutoModel,
        AutoModelForCausalLM,
        AutoModelForMaskedLM,
        AutoModelForSeq2SeqLM,
    )

    heads = {
        "masked-lm": AutoModelForMaskedLM,
        "causal-lm": AutoModelForCausalLM,
        "seq2seq-lm": AutoModelForSeq2SeqLM,
    }
    chosen = heads.get(task, AutoModel)
    with _quiet():
        try:
            config = AutoConfig.from_pretrained(folder.path, **_LOCAL)
            if task == "masked-lm" and type(config) not in AutoModelForMaskedLM._model_mapping:
                raise _no_head(name)
            if task == "seq2seq-lm" and type(config) not in AutoModelForSeq2SeqLM._model_mapping:
                raise MeasureError(
                    f"Model {name!r} is no encoder-decoder, which bartscore needs: choose one that writes a "
                    "text from another, such as facebook/bart-large-cnn."
                )
            module, report = chosen.from_pretrained(
                folder.path,
                config=config,
                dtype=torch.float32,
                use_safetensors=True,
                output_loading_info=True,
                **_LOCAL,
            )
        except (*_UNLOADABLE, SafetensorError) as error:
            raise _cannot_load(name, error) from error
    tokenizer = load_tokenizer(name, folder)
    _require_weights(name, report["missing_keys"], task)
    _require_vocabulary(name, module, tokenizer, task)
    return LoadedModel(module.eval().requires_grad_(requires_grad=False), tokenizer)


@lru_cache(maxsize=4)
def load_tokenizer(name: str, folder: ModelFolder) -> Any:
    """The tokenizer of a model alone, from a folder found before."""
    from transformers import AutoTokenizer

    with _quiet():
        try:
            return AutoTokenizer.from_pretrained(folder.path, **_LOCAL)
        except _UNLOADABLE as error:
            raise _cannot_load(name, error) from error


def _cannot_load(name: str, error: Exception) -> MeasureError:
    return MeasureError(f"Model {name!r} cannot be loaded: {_first_line(error)}")


def _no_head(name: str) -> MeasureError:
    return MeasureError(
        f"Model {name!r} has no masked-language-model head, which infolm needs: choose a model trained to "
        "fill in masked words, such as bert-base-uncased."
    )


def _require_weights(name: str, missing: set[str], task: Task) -> None:
    """Weights that transformers would make up at random are an error; an encoder's pooler is never used."""
    wanted = sorted(key for key in missing if "pooler" not in key)
    if not wanted:
        return
    if task == "masked-lm" and all(key.split(".")[0] in {"cls", "lm_head", "predictions"} for key in wanted):
        raise _no_head(name)
    raise MeasureError(f"Model {name!r} lacks {len(wanted)} of its weights, the first of them {wanted[0]!r}.")


def _require_vocabulary(name: str, module: Any, tokenizer: Any, task: Task) -> None:
    size = module.get_input_embeddings().weight.shape[0]
    if len(tokenizer) > size:
        raise MeasureError(
            f"The tokenizer of model {name!r} has {len(tokenizer)} word pieces, the model {size}: they do "
            "not belong together."
        )
    needed = {
        "encoder": ["pad_token", "cls_token", "sep_token"],
        "masked-lm": ["pad_token", "cls_token", "sep_token", "mask_token"],
        "causal-lm": ["eos_token"],
        "seq2seq-lm": ["pad_token"],
    }[task]
    lacking = [token for token in needed if getattr(tokenizer, f"{token}_id") is None]
    if lacking:
        raise MeasureError(f"The tokenizer of model {name!r} has no {', '.join(lacking)}.")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep transformers' loading report and progress bar off the terminal: faults become errors here."""
    from transformers.utils import logging as quiet

    logging: Any = quiet
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity(50)
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
