"""Files of MovieLens, Amazon Reviews and Yelp, and a corpus with clicks, as timelines."""

import gzip
import json

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.errors import InputError
from meta_eval.studies.users.datasets import corpus_timelines, read_data_set

RATINGS = "userId,movieId,rating,timestamp\n1,20,4.0,200\n1,10,3.5,100\n2,10,1.0,50\n"
MOVIES = 'movieId,title,genres\n10,"Jam, The (1999)",Comedy|Drama\n20,Rain,(no genres listed)\n'


def lines(path, *records, packed=False):
    data = "".join(json.dumps(one) + "\n" for one in records).encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


def shown(timelines):
    return {one.user: [activity.as_line() for activity in one.activities] for one in timelines}


def test_movielens(tmp_path):
    ratings, movies = tmp_path / "ratings.csv", tmp_path / "movies.csv"
    ratings.write_text(RATINGS, encoding="utf-8")
    movies.write_text(MOVIES, encoding="utf-8")
    found = read_data_set("movielens", ratings, movies)
    assert shown(found) == {
        "1": ["1970-01-01; Jam, The (1999); genre: Comedy, Drama; rated 3.5", "1970-01-01; Rain; rated 4"],
        "2": ["1970-01-01; Jam, The (1999); genre: Comedy, Drama; rated 1"],
    }
    assert [one.user for one in read_data_set("movielens", ratings, least=2)] == ["1"]
    assert len(read_data_set("movielens", ratings, most=1)) == 1
    with pytest.raises(InputError, match="none of 2 users has 3 activities; lower --least"):
        read_data_set("movielens", ratings, least=3)


def test_amazon_of_2014_and_of_2023(tmp_path):
    old = lines(
        tmp_path / "reviews.json.gz",
        {"reviewerID": "r", "asin": "B1", "overall": 5.0, "reviewText": "so " * 200, "unixReviewTime": 86400},
        packed=True,
    )
    meta = lines(
        tmp_path / "meta.json",
        {"asin": "B1", "title": "Pan", "brand": "Iron", "categories": [["Home", "Pans"]]},
    )
    (timeline,) = read_data_set("amazon", old, meta)
    (activity,) = timeline.activities
    assert activity.as_line().startswith("1970-01-02; Pan; category: Pans; brand: Iron; rated 5; so so")
    assert (len(activity.text) <= 304, activity.text[-6:]) == (True, "so ...")
    new = lines(
        tmp_path / "new.jsonl",
        {"user_id": "r", "parent_asin": "B2", "rating": 2, "text": "no", "timestamp": 86400000},
    )
    assert shown(read_data_set("amazon", new)) == {"r": ["1970-01-02; B2; rated 2; no"]}


def test_amazons_metadata_of_2014_are_pythons_literals(tmp_path):
    reviews = lines(
        tmp_path / "reviews.json",
        {"reviewerID": "r", "asin": "B1", "overall": 5.0, "unixReviewTime": 86400},
        {"reviewerID": "r", "asin": "B2", "overall": 1.0, "unixReviewTime": 86400},
    )
    meta = tmp_path / "meta.json.gz"
    told = "{'asin': 'B1', 'title': \"Cook's pan\", 'categories': [['Home', 'Pans']], 'price': None}\n"
    meta.write_bytes(gzip.compress(f"{told}{{'asin': 'B2', 'brand': 'Iron'}}\n".encode()))
    assert shown(read_data_set("amazon", reviews, meta)) == {
        "r": ["1970-01-02; Cook's pan; category: Pans; rated 5", "1970-01-02; B2; brand: Iron; rated 1"]
    }
    meta.write_bytes(gzip.compress(f"{told}{{'asin': open('x')}}\n".encode()))
    with pytest.raises(InputError, match=r"meta.json.gz:2: is no JSON object"):
        read_data_set("amazon", reviews, meta)
    meta.write_text('{"asin": "B1"}\n' + told, encoding="utf-8")
    with pytest.raises(InputError, match=r"meta.json.gz:2: is no JSON object"):
        read_data_set("amazon", reviews, meta)


def test_yelp(tmp_path):
    reviews = lines(
        tmp_path / "review.json",
        {
            "user_id": "u",
            "business_id": "b",
            "stars": 4.0,
            "date": "2020-02-03 04:05:06",
            "text": "Good\nsoup",
        },
    )
    places = lines(
        tmp_path / "business.json",
        {"business_id": "b", "name": "Bowl", "city": "Ulm", "categories": "Soup, Tea"},
    )
    wanted = ["2020-02-03; Bowl; category: Soup, Tea; city: Ulm; rated 4; Good soup"]
    assert shown(read_data_set("yelp", reviews, places)) == {"u": wanted}


@pytest.mark.parametrize(
    ("kind", "text", "fault"),
    [
        (
            "movielens",
            "user,movie\n1,2\n",
            ":1: the header lacks the columns userId, movieId, rating, timestamp",
        ),
        ("movielens", RATINGS.replace("4.0", "good"), ":2: rating is 'good', not a number"),
        ("yelp", '{"user_id": "u", "business_id": "b"}\n', ":1: the time is missing"),
        ("amazon", "[1]\n", ":1: is no JSON object; wanted is one a line"),
    ],
)
def test_faults_are_named_with_their_place(kind, text, fault, tmp_path):
    path = tmp_path / "file"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_data_set(kind, path)
    assert str(caught.value) == f"{path}{fault}"


def test_a_file_that_is_cut_off_is_named(tmp_path):
    path = lines(tmp_path / "reviews.json.gz", *({"reviewerID": f"{n}"} for n in range(99)), packed=True)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(InputError, match="cannot be read"):
        read_data_set("amazon", path)


def test_readers_of_a_corpus_clicked_first_and_then_wrote():
    documents = (
        Document("d1", "Rain", "It rains.", {"ann": "wet", "bob": "so wet"}),
        Document("d2", "", "Sun.", {"ann": "dry"}),
    )
    found = corpus_timelines(Corpus(documents), {"ann": ("Snow", "Hail")})
    assert shown(found) == {
        "ann": [
            "Snow; action: read",
            "Hail; action: read",
            "Rain; action: wrote; wet",
            "d2; action: wrote; dry",
        ],
        "bob": ["Rain; action: wrote; so wet"],
    }
