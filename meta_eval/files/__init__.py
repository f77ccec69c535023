"""Reading lines and tables with every fault named, writing whole files, and what a value may be."""

import lazy_loader as lazy

__getattr__, __dir__, __all__ = lazy.attach(
    __name__,
    submod_attrs={
        "frames": ["Tabular", "html_table", "to_frame"],
        "json_files": ["json_line", "json_lines", "read_json", "read_json_lines"],
        "parquet": ["is_parquet", "parquet_rows"],
        "reading": ["Faults", "Source", "read_lines"],
        "tables": ["read_table"],
        "workbooks": ["is_workbook", "read_rows"],
        "writing": ["Format", "render_records", "write_bytes", "write_text"],
    },
)
