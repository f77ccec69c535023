"""The works that a report rests on, as BibTeX. Only what is certain is given."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Work:
    """One entry: its kind and fields, in BibTeX's own words."""

    kind: str
    author: str
    title: str
    year: int
    place: str

    def as_bibtex(self, key: str) -> str:
        """The entry; titles in double braces keep their capitals."""
        more = "".join(f"  {name} = {{{value}}},\n" for name, value in WHERE.get(key, {}).items())
        field = {"article": "journal", "book": "publisher"}.get(self.kind, "booktitle")
        return (
            f"@{self.kind}{{{key},\n"
            f"  author = {{{self.author}}},\n"
            f"  title = {{{{{self.title}}}}},\n"
            f"  {field} = {{{self.place}}},\n"
            f"{more}"
            f"  year = {{{self.year}}}\n}}\n"
        )


WORKS: Mapping[str, Work] = {
    "vansh2023egises": Work(
        "inproceedings",
        "Vansh, Rahul and Rank, Darsh and Dasgupta, Sourish and Chakraborty, Tanmoy",
        "Accuracy is not enough: Evaluating Personalization in Summarizers",
        2023,
        "Findings of the Association for Computational Linguistics: EMNLP 2023",
    ),
    "dasgupta2024perseval": Work(
        "article",
        "Dasgupta, Sourish and Chander, Ankush and Borad, Parth and Motiyani, Isha and Chakraborty, Tanmoy",
        "PerSEval: Assessing Personalization in Text Summarizers",
        2024,
        "Transactions on Machine Learning Research",
    ),
    "patel2024icopernicus": Work(
        "inproceedings",
        "Patel, Divya and Patel, Pathik and Chander, Ankush and Dasgupta, Sourish and Chakraborty, Tanmoy",
        "Are Large Language Models In-Context Personalized Summarizers? Get an iCOPERNICUS Test Done!",
        2024,
        "Proceedings of the 2024 Conference on Empirical Methods in Natural Language Processing",
    ),
    "wang2024perse": Work(
        "inproceedings",
        "Wang, Danqing and Yang, Kevin and Zhu, Hanlin and Yang, Xiaomeng and Cohen, Andrew and Li, Lei and "
        "Tian, Yuandong",
        "Learning Personalized Alignment for Evaluating Open-ended Text Generation",
        2024,
        "Proceedings of the 2024 Conference on Empirical Methods in Natural Language Processing",
    ),
    "perrella2024guardians": Work(
        "inproceedings",
        "Perrella, Stefano and Proietti, Lorenzo and Scir{\\`e}, Alessandro and Barba, Edoardo and "
        "Navigli, Roberto",
        "Guardians of the Machine Translation Meta-Evaluation: Sentinel Metrics Fall In!",
        2024,
        "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics",
    ),
    "angelopoulos2023ppi": Work(
        "article",
        "Angelopoulos, Anastasios N. and Duchi, John C. and Zrnic, Tijana",
        "PPI++: Efficient Prediction-Powered Inference",
        2023,
        "arXiv:2311.01453",
    ),
    "krippendorff2004content": Work(
        "book",
        "Krippendorff, Klaus",
        "Content Analysis: An Introduction to Its Methodology",
        2004,
        "Sage",
    ),
    "lin2004rouge": Work(
        "inproceedings",
        "Lin, Chin-Yew",
        "ROUGE: A Package for Automatic Evaluation of Summaries",
        2004,
        "Text Summarization Branches Out",
    ),
    "papineni2002bleu": Work(
        "inproceedings",
        "Papineni, Kishore and Roukos, Salim and Ward, Todd and Zhu, Wei-Jing",
        "Bleu: a Method for Automatic Evaluation of Machine Translation",
        2002,
        "Proceedings of the 40th Annual Meeting of the Association for Computational Linguistics",
    ),
    "banerjee2005meteor": Work(
        "inproceedings",
        "Banerjee, Satanjeev and Lavie, Alon",
        "METEOR: An Automatic Metric for MT Evaluation with Improved Correlation with Human Judgments",
        2005,
        "Proceedings of the ACL Workshop on Intrinsic and Extrinsic Evaluation Measures for Machine "
        "Translation and/or Summarization",
    ),
    "zhang2020bertscore": Work(
        "inproceedings",
        "Zhang, Tianyi and Kishore, Varsha and Wu, Felix and Weinberger, Kilian Q. and Artzi, Yoav",
        "BERTScore: Evaluating Text Generation with BERT",
        2020,
        "International Conference on Learning Representations",
    ),
    "colombo2022infolm": Work(
        "inproceedings",
        "Colombo, Pierre and Clavel, Chlo{\\'e} and Piantanida, Pablo",
        "InfoLM: A New Metric to Evaluate Summarization \\& Data2Text Generation",
        2022,
        "Proceedings of the AAAI Conference on Artificial Intelligence",
    ),
    "popovic2015chrf": Work(
        "inproceedings",
        "Popovi{\\'c}, Maja",
        "chrF: character n-gram F-score for automatic MT evaluation",
        2015,
        "Proceedings of the Tenth Workshop on Statistical Machine Translation",
    ),
    "reimers2019sentence": Work(
        "inproceedings",
        "Reimers, Nils and Gurevych, Iryna",
        "Sentence-BERT: Sentence Embeddings using Siamese BERT-Networks",
        2019,
        "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing",
    ),
    "zhao2019moverscore": Work(
        "inproceedings",
        "Zhao, Wei and Peyrard, Maxime and Liu, Fei and Gao, Yang and Meyer, Christian M. and Eger, Steffen",
        "MoverScore: Text Generation Evaluating with Contextualized Embeddings and Earth Mover Distance",
        2019,
        "Proceedings of the 2019 Conference on Empirical Methods in Natural Language Processing",
    ),
    "yuan2021bartscore": Work(
        "inproceedings",
        "Yuan, Weizhe and Neubig, Graham and Liu, Pengfei",
        "BARTScore: Evaluating Generated Text as Text Generation",
        2021,
        "Advances in Neural Information Processing Systems",
    ),
    "lin1991divergence": Work(
        "article",
        "Lin, Jianhua",
        "Divergence Measures Based on the Shannon Entropy",
        1991,
        "IEEE Transactions on Information Theory",
    ),
    "efron1987better": Work(
        "article",
        "Efron, Bradley",
        "Better Bootstrap Confidence Intervals",
        1987,
        "Journal of the American Statistical Association",
    ),
    "everson2000inference": Work(
        "article",
        "Everson, Philip J. and Morris, Carl N.",
        "Inference for Multivariate Normal Hierarchical Models",
        2000,
        "Journal of the Royal Statistical Society: Series B (Statistical Methodology)",
    ),
    "holm1979simple": Work(
        "article",
        "Holm, Sture",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        1979,
        "Scandinavian Journal of Statistics",
    ),
    "korn1984kendall": Work(
        "article",
        "Korn, Edward L.",
        "Kendall's Tau with a Blocking Variable",
        1984,
        "Biometrics",
    ),
    "taylor1987kendall": Work(
        "article",
        "Taylor, Jeremy M. G.",
        "Kendall's and Spearman's Correlation Coefficients in the Presence of a Blocking Variable",
        1987,
        "Biometrics",
    ),
    "thompson2024improving": Work(
        "inproceedings",
        "Thompson, Brian and Mathur, Nitika and Deutsch, Daniel and Khayrallah, Huda",
        "Improving Statistical Significance in Human Evaluation of Automatic Metrics via Soft Pairwise "
        "Accuracy",
        2024,
        "Proceedings of the Ninth Conference on Machine Translation",
    ),
    "deutsch2023ties": Work(
        "inproceedings",
        "Deutsch, Daniel and Foster, George and Freitag, Markus",
        "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie Calibration",
        2023,
        "Proceedings of the 2023 Conference on Empirical Methods in Natural Language Processing",
    ),
    "kocmi2021ship": Work(
        "inproceedings",
        "Kocmi, Tom and Federmann, Christian and Grundkiewicz, Roman and Junczys-Dowmunt, Marcin and "
        "Matsushita, Hitokazu and Menezes, Arul",
        "To Ship or Not to Ship: An Extensive Evaluation of Automatic Metrics for Machine Translation",
        2021,
        "Proceedings of the Sixth Conference on Machine Translation",
    ),
    "deutsch2022reexamining": Work(
        "inproceedings",
        "Deutsch, Daniel and Dror, Rotem and Roth, Dan",
        "Re-Examining System-Level Correlations of Automatic Summarization Evaluation Metrics",
        2022,
        "Proceedings of the 2022 Conference of the North American Chapter of the Association for "
        "Computational Linguistics: Human Language Technologies",
    ),
    "kocmi2024navigating": Work(
        "inproceedings",
        "Kocmi, Tom and Zouhar, Vil{\\'e}m and Federmann, Christian and Post, Matt",
        "Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies",
        2024,
        "Proceedings of the 62nd Annual Meeting of the Association for Computational Linguistics",
    ),
    "mathur2020tangled": Work(
        "inproceedings",
        "Mathur, Nitika and Baldwin, Timothy and Cohn, Trevor",
        "Tangled up in BLEU: Reevaluating the Evaluation of Automatic Machine Translation Evaluation Metrics",
        2020,
        "Proceedings of the 58th Annual Meeting of the Association for Computational Linguistics",
    ),
    "mogstad2024inference": Work(
        "article",
        "Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel",
        "Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement "
        "across Countries",
        2024,
        "The Review of Economic Studies",
    ),
    "westfall1993resampling": Work(
        "book",
        "Westfall, Peter H. and Young, S. Stanley",
        "Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment",
        1993,
        "Wiley",
    ),
    "patterson1971recovery": Work(
        "article",
        "Patterson, H. D. and Thompson, R.",
        "Recovery of Inter-Block Information when Block Sizes are Unequal",
        1971,
        "Biometrika",
    ),
    "brennan2001generalizability": Work(
        "book", "Brennan, Robert L.", "Generalizability Theory", 2001, "Springer"
    ),
    "anugraha2024metametrics": Work(
        "inproceedings",
        "Anugraha, David and Kuwanto, Garry and Susanto, Lucky and Wijaya, Derry Tanti and "
        "Winata, Genta Indra",
        "MetaMetrics-MT: Tuning Meta-Metrics for Machine Translation via Human Preference Calibration",
        2024,
        "Proceedings of the Ninth Conference on Machine Translation",
    ),
    "calderon2025alternative": Work(
        "inproceedings",
        "Calderon, Nitay and Reichart, Roi and Dror, Rotem",
        "The Alternative Annotator Test for LLM-as-a-Judge: How to Statistically Justify Replacing Human "
        "Annotators with LLMs",
        2025,
        "Proceedings of the 63rd Annual Meeting of the Association for Computational Linguistics",
    ),
}
"""Every work that a methods paragraph may cite, by its key."""


def _at(**where: str) -> Mapping[str, str]:
    """Where a work is found, in BibTeX's own words."""
    return where


WHERE: Mapping[str, Mapping[str, str]] = {
    "vansh2023egises": _at(pages="2582--2595", doi="10.18653/v1/2023.findings-emnlp.169"),
    "dasgupta2024perseval": _at(url="https://arxiv.org/abs/2407.00453"),
    "patel2024icopernicus": _at(pages="16820--16842", doi="10.18653/v1/2024.emnlp-main.935"),
    "wang2024perse": _at(pages="13274--13292", doi="10.18653/v1/2024.emnlp-main.737"),
    "perrella2024guardians": _at(pages="16216--16244", doi="10.18653/v1/2024.acl-long.856"),
    "angelopoulos2023ppi": _at(doi="10.48550/arXiv.2311.01453"),
    "lin2004rouge": _at(pages="74--81", url="https://aclanthology.org/W04-1013"),
    "papineni2002bleu": _at(pages="311--318", doi="10.3115/1073083.1073135"),
    "banerjee2005meteor": _at(pages="65--72", url="https://aclanthology.org/W05-0909"),
    "zhang2020bertscore": _at(url="https://openreview.net/forum?id=SkeHuCVFDr"),
    "colombo2022infolm": _at(volume="36", number="10", pages="10554--10562", doi="10.1609/aaai.v36i10.21299"),
    "popovic2015chrf": _at(pages="392--395", doi="10.18653/v1/W15-3049"),
    "reimers2019sentence": _at(pages="3982--3992", doi="10.18653/v1/D19-1410"),
    "zhao2019moverscore": _at(pages="563--578", doi="10.18653/v1/D19-1053"),
    "yuan2021bartscore": _at(volume="34", pages="27263--27277", url="https://arxiv.org/abs/2106.11520"),
    "lin1991divergence": _at(volume="37", number="1", pages="145--151", doi="10.1109/18.61115"),
    "efron1987better": _at(volume="82", number="397", pages="171--185", doi="10.1080/01621459.1987.10478410"),
    "everson2000inference": _at(volume="62", number="2", pages="399--412", doi="10.1111/1467-9868.00239"),
    "holm1979simple": _at(volume="6", number="2", pages="65--70"),
    "korn1984kendall": _at(volume="40"),
    "taylor1987kendall": _at(volume="43", pages="409--416"),
    "thompson2024improving": _at(pages="1222--1234", doi="10.18653/v1/2024.wmt-1.118"),
    "deutsch2023ties": _at(pages="12914--12929", doi="10.18653/v1/2023.emnlp-main.798"),
    "kocmi2021ship": _at(pages="478--494", url="https://aclanthology.org/2021.wmt-1.57"),
    "deutsch2022reexamining": _at(pages="6038--6052", doi="10.18653/v1/2022.naacl-main.442"),
    "kocmi2024navigating": _at(pages="1999--2014", doi="10.18653/v1/2024.acl-long.110"),
    "mathur2020tangled": _at(pages="4984--4997", doi="10.18653/v1/2020.acl-main.448"),
    "mogstad2024inference": _at(volume="91", number="1", pages="476--518", doi="10.1093/restud/rdad006"),
    "patterson1971recovery": _at(volume="58", number="3", pages="545--554", doi="10.1093/biomet/58.3.545"),
    "calderon2025alternative": _at(pages="16051--16081", doi="10.18653/v1/2025.acl-long.782"),
    "brennan2001generalizability": _at(doi="10.1007/978-1-4757-3456-0"),
    "anugraha2024metametrics": _at(pages="459--469", doi="10.18653/v1/2024.wmt-1.32"),
}
"""Volume, number, pages and DOI of those works of which they are certain; what is not here is not known.

An address stands for a DOI where a work has none, but of books and of what is on paper alone.
"""

MEASURE_WORKS: Mapping[str, str] = {
    "rouge-l": "lin2004rouge",
    "rouge-su4": "lin2004rouge",
    "bleu": "papineni2002bleu",
    "meteor": "banerjee2005meteor",
    "bertscore": "zhang2020bertscore",
    "infolm": "colombo2022infolm",
    "jsd": "lin1991divergence",
    "rouge-1": "lin2004rouge",
    "rouge-2": "lin2004rouge",
    "chrf": "popovic2015chrf",
    "sbert": "reimers2019sentence",
    "moverscore": "zhao2019moverscore",
    "bartscore": "yuan2021bartscore",
}
"""The paper of each measure that is as one published; others are described, not cited."""


def cited(measure: str) -> str:
    """The paper of a measure as it stands behind its title, [[key]]; nothing where it has none."""
    return f" [[{MEASURE_WORKS[measure]}]]" if measure in MEASURE_WORKS else ""


def bibtex(keys: Iterable[str]) -> str:
    """The entries of these keys, each once, in order of key. Raises KeyError for an unknown one."""
    return "\n".join(WORKS[key].as_bibtex(key) for key in sorted(set(keys)))
