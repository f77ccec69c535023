"""Reading lines and tables with every fault named, writing whole files, and what a value may be."""
