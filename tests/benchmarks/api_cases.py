"""Does any request break the API, or get an answer that its schema does not have?

    python -m tests.benchmarks.api_cases --cases 20000
    python -m tests.benchmarks.api_cases --cases 500 --only "POST /api/v1/batches/"

schemathesis makes requests up from the schema, half of them wrong on purpose. Each goes through the whole
application, in a database of its own with batches, reports and runs in several states: as auditor,
researcher and admin, without a token, and with something that is none. Printed for each operation: how often
which status came; then every fault with one request that shows it. The exit status is 1 where there is one.
"""

import argparse
import logging
import os
import sys
import time
import warnings
from collections import Counter


def measure(cases: int, only: str, first: int) -> int:
    from django.conf import settings
    from django.db import transaction

    from tests.factories.api_cases import PEOPLE, Found, headers_of, load_schema, try_operation
    from tests.factories.api_world import make_world

    settings.CONCORD_API_REQUESTS = 1_000_000_000
    settings.CONCORD_LLM_MODELS = ["judge-1"]  # planned and begun; nothing is asked
    found, started = Found(), time.monotonic()
    with transaction.atomic():
        numbers, people = make_world(), {person: headers_of(person) for person in PEOPLE}
        operations = [result.ok() for result in load_schema().get_all_operations()]
        operations = [one for one in operations if only in one.label]
        for one in operations:
            each = -(-cases // len(operations))
            try_operation(one, numbers=numbers, people=people, cases=each, found=found, first=first)
            came = Counter({status: n for (label, status), n in found.statuses.items() if label == one.label})
            sys.stdout.write(f"{one.label}: {', '.join(f'{n} x {s}' for s, n in sorted(came.items()))}\n")
            sys.stdout.flush()
        transaction.set_rollback(True)
    seconds = time.monotonic() - started
    sys.stdout.write(f"{found.cases:,} cases of {len(operations)} operations in {seconds:,.0f} s\n")
    for fault, shown in sorted(found.faults.items()):
        sys.stdout.write(f"FAULT {fault}\n{shown}\n")
    return 1 if found.faults else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--only", default="", help="a part of method and path")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    os.environ["DJANGO_SETTINGS_MODULE"] = "survey_site.settings.test"
    import django

    django.setup()
    from django.db import connection
    from django.test.utils import setup_test_environment

    logging.disable(logging.CRITICAL)
    warnings.filterwarnings("ignore")
    setup_test_environment()
    name = connection.settings_dict["NAME"]
    connection.creation.create_test_db(verbosity=0)
    try:
        return measure(options.cases, options.only, options.seed)
    finally:
        connection.creation.destroy_test_db(name, verbosity=0)


if __name__ == "__main__":
    sys.exit(main())
