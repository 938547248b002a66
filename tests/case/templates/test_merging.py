"""What a user writes is merged by ids into what a template made."""

from tests.case.templates import worlds

from surefoot.case import Case, Module, Node, Stated, instantiate
from surefoot.opinions import Opinion

GIVEN = worlds.found(worlds.goal("misses", worlds.COUNTED), components={"camera": ""})


def with_own(*nodes, frame="targets"):
    return instantiate(GIVEN, frame=frame, own=Case.of(nodes))


def test_nothing_written_changes_nothing():
    made = instantiate(GIVEN)
    assert instantiate(GIVEN, own=Case.of([])) == made
    assert instantiate(GIVEN, own=made) == made


def test_a_node_of_the_template_gains_what_is_given_and_keeps_the_rest():
    before = instantiate(GIVEN)["misses"]
    review = Node("review", "evidence", "Reviewed.", url="review.pdf")
    own = Node("misses", "claim", "", supported_by=("review",), note="Agreed.", tags=("own: review",))
    node = with_own(review, own)["misses"]
    assert node.text == before.text
    assert node.number == before.number
    assert node.supported_by == (*before.supported_by, "review")
    assert node.note == "Agreed."
    assert set(node.tags) == {*before.tags, "own: review"}


def test_what_is_given_overrides():
    node = with_own(Node("misses", "claim", "Hardly an asset is missed."))["misses"]
    assert node.text == "Hardly an asset is missed."


def test_an_undeveloped_sub_case_falls_once_something_is_below():
    plan = Node("plan", "claim", "There is a plan.", stated=Stated(Opinion(0.9, 0, 0.1), by="A. Person"))
    case = with_own(plan, Node("SubC4", "sub-case", "", supported_by=("plan",)), frame="system")
    assert instantiate(GIVEN, frame="system")["SubC4"].undeveloped
    assert not case["SubC4"].undeveloped
    assert case["SubC5"].undeveloped


def test_a_relation_that_leads_nowhere_is_found_by_check():
    case = with_own(Node("misses", "claim", "", supported_by=("nowhere",)))
    assert any(each.severity == "error" and "nowhere" in each.text for each in case.check())


def test_modules_and_name_of_the_user_are_kept():
    own = Case({"x": Node("x", "claim", "X.", module="more")}, name="Mine", modules={"more": Module("more")})
    case = instantiate(GIVEN, own=own)
    assert case.name == "Mine"
    assert "more" in case.modules
    assert case["x"].module == "more"
