"""Open the model that somebody named."""

from meta_eval.llm.models import Model, ModelOptions, ReplayModel


def open_model(options: ModelOptions) -> Model:
    """The model itself: weights are loaded, a client is made; nothing is sent yet.

    Raises `ModelError` or `MeasureError` where that is not possible here.
    """
    if options.kind == "http":
        from meta_eval.llm.http import HttpModel

        return HttpModel(options)
    if options.kind == "local":
        from meta_eval.llm.local import LocalModel

        return LocalModel(options)
    return ReplayModel(options)
