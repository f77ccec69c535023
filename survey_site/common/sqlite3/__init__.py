"""The database engine of one machine: `base` is what Django loads, `queue` what it adds."""
