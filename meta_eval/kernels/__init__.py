"""Tensor kernels of the neural measures: tensors in, tensors out; no texts but in `tokens`, no files but in
`models`.

Only this package imports torch (and `bench`, which measures it), and nothing imports this package before a
neural measure, or a language model that runs here, is used.
"""

from importlib.util import find_spec

from meta_eval.errors import MeasureError

if missing := [name for name in ("torch", "transformers", "safetensors") if find_spec(name) is None]:
    raise MeasureError(
        "The neural measures (bertscore, infolm, sbert, moverscore, bartscore) and language models that run "
        f"here need {', '.join(missing)}: run "
        '`pip install "concord-meta-eval[neural]"`, or `pip install torch transformers safetensors`.'
    )
