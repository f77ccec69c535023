"""Tensor kernels of the neural measures: tensors in, tensors out; no texts but in `tokens`, no files but in
`models`.

Only this package imports torch (and `bench`, which measures it), and nothing imports this package before a
neural measure is used.
"""
