"""Which pairs a survey asks about, where each stands on its page, and the control pairs among them."""
