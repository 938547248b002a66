"""Rows from files, folders and standard input, hostile ones among them."""

import json
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from surefoot import watch as watches
from surefoot.core import DiagnosticsError
from tests.refusals import told

from . import guarded

LAYOUT = watches.Layout(inputs=("a", "b"), labels="side", attributes=("heat", "light"), numeric=frozenset({"heat"}))
HEADER = "a,b,side,heat,light"


def line(seed):
    inputs, labels = guarded.rows(1, seed)
    return f"{inputs[0, 0]},{inputs[0, 1]},{labels[0]},20,day"


def lines(count, first=0):
    return [line(first + number) for number in range(count)]


@pytest.fixture
def feed(assessed):
    watch = watches.Watch(*assessed)
    watch.layout = LAYOUT
    return watches.Feed(watch)


def read(feed, where, batch=100, **how):
    with watches.open_stream(str(where), feed.watch.layout, batch=batch, place=feed.place, **how) as chunks:
        return [event for events in feed.run(chunks) for event in events]


def test_csv(feed, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEADER, *lines(250)]))
    assert read(feed, path) == []
    assert (feed.rows, feed.bad, feed.watch.labelled, feed.place) == (250, 0, 250, {"rows": 250})


def test_json_lines_with_and_without_labels(feed, tmp_path):
    rows = [{"a": 0.1, "b": 0.2, "heat": 15, "light": "night"}, {"b": 0.2, "a": 0.9, "side": "right", "heat": 15}]
    rows[1]["light"] = "day"
    path = tmp_path / "s.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert read(feed, path) == []
    assert (feed.rows, feed.bad, feed.watch.labelled) == (2, 0, 1)
    assert feed.watch.conditions.found["warm"].rows == 2


def test_json_lines_with_an_array_of_inputs(feed, tmp_path):
    path = tmp_path / "s.ndjson"
    path.write_text('{"X": [0.1, 0.2], "side": "left"}\n{"X": [[0.9], [0.2]]}\n{"X": [1]}\n' * 20)
    feed.watch.layout = watches.Layout(inputs=("X",), labels="side")
    with pytest.raises(DiagnosticsError, match="20 of 60 rows"):
        read(feed, path)
    assert feed.watch.labelled == 20


@pytest.mark.parametrize("kind", ["npz", "parquet"])
def test_arrays(feed, tmp_path, kind):
    inputs, labels = guarded.rows(230, seed=1)
    path = tmp_path / f"s.{kind}"
    if kind == "npz":
        inputs[7] = np.nan
        np.savez(path, X=inputs, side=labels, heat=np.full(230, 20.0), light=np.full(230, "day"), other=np.zeros(3))
        feed.watch.layout = watches.Layout(
            inputs=("X",), labels="side", attributes=("heat", "light"), numeric=frozenset({"heat"})
        )
    else:
        pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        named = {"a": [None if row == 7 else value for row, value in enumerate(inputs[:, 0])], "b": inputs[:, 1]}
        parquet.write_table(pyarrow.table({**named, "side": labels.tolist()}), path)
    (event,) = read(feed, path)
    assert event.code == "watch-row"
    assert f"s.{kind}:8" in event.text
    assert (feed.rows, feed.bad, feed.watch.labelled) == (230, 1, 229)


def test_bad_rows_are_named_with_their_lines_counted_and_left_out(feed, tmp_path):
    path = tmp_path / "s.csv"
    rows = [HEADER, *lines(300)]
    rows[5:5] = ["nan,0.2,left,20,day", "0.1,abc,left,20,day", "0.1", "0.1,0.2,up,20,day", '"0.1,0.2,left,20,day']
    rows[20:20] = ["0.1,0.2,left,,day", "0.1,1_0,left,20,day", "0.1,1e999,left,20,day"]
    path.write_text("\n".join(rows), encoding="utf-8")
    events = read(feed, path)
    assert [event.about.rpartition(":")[2] for event in events] == ["6", "7", "8", "9", "10", "21", "22", "23"]
    assert [event.row for event in events] == [5, 6, 7, 8, 9, 20, 21, 22]
    reasons = (
        "nan",
        "'abc', which is no number",
        "5 columns",
        "'up' is not among the classes",
        "CSV",
        "nothing",
        "1_0",
    )
    assert all(reason in event.text for reason, event in zip(reasons, events, strict=False))
    assert (feed.rows, feed.bad, feed.watch.labelled) == (308, 8, 300)
    assert not feed.watch.raised


def test_a_stream_of_which_too_much_is_bad_is_refused(feed, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEADER, *(lines(200) + ["x,y,left,20,day"] * 100)]))
    with pytest.raises(DiagnosticsError, match="rows cannot be used"):
        read(feed, path, batch=50)
    assert feed.rows < 260


def test_a_first_batch_without_one_good_row_is_refused(feed, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEADER, *["x,y,left,20,day"] * 5, *lines(500)]))
    with pytest.raises(DiagnosticsError, match="none of its first rows"):
        read(feed, path, batch=5)
    assert feed.rows == 5


def test_headers_that_do_not_fit_are_refused(feed, tmp_path):
    for text, problem in [
        ("a,a,b\n1,2,3\n", "two columns"),
        ("b,side\n1,left\n", "no column 'a'"),
        ("a,,b\n1,2,3\n", "no name"),
        ("[1, 2]\n", "has no rows"),
        ("", "has no rows"),
    ]:
        with told(text):
            path = tmp_path / "s.csv"
            path.write_text(text)
            with pytest.raises(DiagnosticsError, match=problem):
                read(feed, path)


@pytest.mark.parametrize("name", ["missing.csv", "s.txt"])
def test_places_that_are_no_stream_are_refused(feed, tmp_path, name):
    (tmp_path / "s.txt").write_text("a,b\n")
    with pytest.raises(DiagnosticsError):
        read(feed, tmp_path / name)


def chunks_of(raw, path, batch):
    path.write_bytes(raw)
    with watches.open_stream(str(path), watches.Layout(inputs=("a",)), batch=batch) as chunks:
        return list(chunks)


@settings(max_examples=25, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_are_taken_for_more_rows_than_lines(tmp_path_factory, raw):
    try:
        chunks = chunks_of(raw, tmp_path_factory.getbasetemp() / "any.csv", 4)
    except DiagnosticsError:
        return
    assert sum(chunk.rows for chunk in chunks) <= raw.count(b"\n") + 1


def test_hostile_json_spoils_no_other_row(tmp_path):
    for bad in ['{"a": NaN}', "{" * 5000, '{"a": {"a": ' * 3000, "{}", '{"a": 1', "\x00{", "{\xff"]:
        with told(bad):
            raw = f'{{"a": 1}}\n{bad}\n{{"a": 2}}\n'.encode("utf-8", "surrogateescape")
            (chunk,) = chunks_of(raw, tmp_path / "s.jsonl", 10)
            assert chunk.columns["a"] == [1, 2]
            assert chunk.rows == 3
            assert len(chunk.problems) == 1


def test_a_line_without_end_is_left_out_and_not_kept(tmp_path):
    raw = b'{"a": 1}\n{"a": "' + b"x" * (1 << 24) + b'"}\n{"a": 2}\n'
    (chunk,) = chunks_of(raw, tmp_path / "s.jsonl", 10)
    assert (chunk.columns["a"], chunk.rows, len(chunk.problems)) == ([1, 2], 3, 1)


def test_an_interrupted_stream_goes_on_where_it_stood(feed, assessed, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEADER, *lines(120), "x,y,left,20,day", *lines(130, 500)]))
    with watches.open_stream(str(path), LAYOUT, batch=50) as chunks:
        running = feed.run(chunks)
        next(running), next(running)
    kept = json.loads(json.dumps(feed.state()))
    other = watches.Feed(watches.Watch(*assessed))
    other.watch.layout = LAYOUT
    other.restore(kept)
    (event,) = read(other, path, batch=50)
    assert (event.row, event.code) == (121, "watch-row")
    assert (other.rows, other.watch.labelled) == (251, 250)
    path.write_text("\n".join([HEADER, *lines(10)]))
    with pytest.raises(DiagnosticsError, match="251 of it were read before"):
        read(other, path)


def test_a_growing_file_is_followed(feed, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("\n".join([HEADER, *lines(10)]) + "\n0.1,0.")

    def more():
        time.sleep(0.3)
        with path.open("a") as stream:
            stream.write("2,left,20,day\n")
            stream.flush()
            time.sleep(0.3)
            stream.write("0.1,0.2,left,5,day\n")

    writer = threading.Thread(target=more)
    writer.start()
    found = read(feed, path, patience=watches.Patience(follow=True, idle=1.0, pause=0.02))
    writer.join()
    assert (feed.rows, feed.bad) == (12, 0)
    assert (found[0].code, found[0].row) == ("watch-condition", 12)


def test_files_that_appear_in_a_folder_are_taken_in_the_order_of_their_names(feed, tmp_path):
    for name, count in (("b", 20), ("a", 10)):
        (tmp_path / f"{name}.csv").write_text("\n".join([HEADER, *lines(count)]))
    (tmp_path / "notes.txt").write_text("no data")
    (tmp_path / ".hidden.csv").write_text("no data")

    def more():
        time.sleep(0.3)
        (tmp_path / "c.csv").write_text("\n".join([HEADER, *lines(29), "0.1,0.2,left,5,day"]))
        (tmp_path / "aa.csv").write_text("\n".join([HEADER, *lines(5)]))

    writer = threading.Thread(target=more)
    writer.start()
    found = read(feed, tmp_path, patience=watches.Patience(follow=True, idle=1.0, pause=0.05))
    writer.join()
    assert feed.rows == 61
    late = next(event for event in found if event.code == "watch-row")
    assert "a file appeared with a name before b.csv" in late.text
    assert next(event for event in found if event.code == "watch-condition").row in (60, 61)
    assert feed.place["file"] == "c.csv"
    assert read(feed, tmp_path) == []
    assert feed.rows == 61


def test_a_file_of_a_folder_that_cannot_be_read_costs_one_row(feed, tmp_path):
    (tmp_path / "a.csv").write_text("\n".join([HEADER, *lines(100)]))
    (tmp_path / "b.npz").write_bytes(b"PK no archive")
    (tmp_path / "c.csv").write_text("\n".join([HEADER, *lines(100)]))
    (event,) = read(feed, tmp_path)
    assert "b.npz: the file cannot be used" in event.text
    assert (feed.rows, feed.bad) == (201, 1)


def test_images_of_a_folder_with_and_without_classes(tmp_path, assessed):
    rng = np.random.default_rng(0)
    images = rng.integers(0, 255, (60, 6, 5, 3)).astype(np.uint8)
    made = guarded.Project.of(
        "Looks",
        model=lambda inputs: np.column_stack([inputs[:, 0, 0, 0] <= 99, inputs[:, 0, 0, 0] > 99]).astype(float),
        data=(images, np.where(images[:, 0, 0, 0] > 99, "light", "dark")),
        classes=["dark", "light"],
        evidence={"errors": {"step": "binomial_bound"}},
        targets={"errors": {"estimate": "errors.failure probability", "at_most": 0.05}},
    )
    feed = watches.Feed(guarded.watched(given=made))
    (tmp_path / "light").mkdir()
    for number in range(5):
        pixels = np.full((6, 5, 3), 200, np.uint8)
        Image.fromarray(pixels).save(tmp_path / "light" / f"{number}.png")
        Image.fromarray(pixels).save(tmp_path / f"{number}.png")
    found = read(feed, tmp_path, batch=4)
    assert found == []
    assert (feed.rows, feed.watch.labelled) == (10, 5)
    assert feed.watch.claims[0].failures == 0
    (tmp_path / "light" / "z.png").write_bytes(b"no image")
    with pytest.raises(DiagnosticsError, match="1 of 11 rows"):
        read(feed, tmp_path)
