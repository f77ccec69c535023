"""Speed and memory, measured side by side with what a user would otherwise use: `python -m meta_eval bench`.

Each module is a script of its own with `main(arguments)`; `bench NAME --help` tells its options. The
libraries compared with are development tools and are not imported anywhere else.
"""
