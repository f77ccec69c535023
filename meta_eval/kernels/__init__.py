"""Tensor kernels of the neural measures: tensors in, tensors out; no texts but in `tokens`, no files but in
`models`.

Only this package imports torch (and `bench`, which measures it), and nothing imports this package before a
neural measure, or a language model that runs here, is used.
"""

from importlib.util import find_spec

import lazy_loader as lazy

from meta_eval.errors import MeasureError

if missing := [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]:
    raise MeasureError(
        "The neural measures (bertscore, infolm, sbert, moverscore, bartscore) and language models that run "
        f"here need {', '.join(missing)}: run `pip install torch transformers safetensors`, or "
        "`make setup-neural` in the folder of the site."
    )

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "config": ["DType", "Device", "EngineConfig", "choose_config"],
        "divergence": ["ab_divergence", "cosines"],
        "encode": ["Encoder"],
        "generate": ["Generator"],
        "idf": ["Idf", "count_idf"],
        "likelihood": ["mean_log_likelihoods"],
        "mask": ["MaskedTexts"],
        "match": ["MatchedTexts"],
        "models": ["LoadedModel", "ModelFolder", "Task", "find_model"],
        "tokens": ["Ragged"],
    },
)
