"""How alike two sides rank or score: coefficients over systems, documents, items and families."""
