"""Studies of other papers: iCOPERNICUS' prompt paradoxes, and rated summaries without reader profiles."""
