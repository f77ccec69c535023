"""Open the model that somebody named."""

from meta_eval.llm.models import Model, ModelOptions, ReplayModel


def open_model(options: ModelOptions) -> Model:
    """The model itself: weights are loaded, a client is made; nothing is sent yet.

    Parameters
    ----------
    options : ModelOptions
        Of the kind "http", "local" or "replay".

    Returns
    -------
    Model

    Raises
    ------
    ModelError, MeasureError
        Where the model cannot be opened here.

    Examples
    --------
    >>> from meta_eval.llm.models import parse_model
    >>> open_model(parse_model("replay:model=m")).options.kind
    'replay'
    """
    if options.kind == "http":
        from meta_eval.llm.http import HttpModel

        return HttpModel(options)
    if options.kind == "local":
        from meta_eval.llm.local import LocalModel

        return LocalModel(options)
    return ReplayModel(options)
