import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from surefoot import InvalidInput, MissingData, datasets
from surefoot.systems import tables

torch = pytest.importorskip("torch")
FOLDER = Path(__file__).parents[2] / "examples" / "systems_speech"
MODULES = (
    *("utterances", "hearing", "dropping", "encoder", "decoders", "recurrent", "transformer"),
    *("recognisers", "train", "pocket", "published", "beside", "system", "run"),
)
DECODERS = ("recurrent", "transformer")


@pytest.fixture(scope="module")
def strings(example):
    pytest.importorskip("soundfile")
    try:
        datasets.locate("fsdd")
    except MissingData as missing:
        pytest.skip(str(missing))
    return example.utterances.strings_to_test_with(per_group=3)


@pytest.fixture(scope="module")
def sounds():
    """Noise of very different lengths, from less than a window on."""
    rng = np.random.default_rng(0)
    return [rng.normal(0, 0.05, length) for length in (1, 150, 200, 281, 3000, 9000, 24_000)]


@pytest.fixture(scope="module", params=DECODERS)
def recogniser(example, request):
    torch.manual_seed(1)
    return example.recognisers.Recogniser(
        example.encoder.Encoder().eval(), example.recognisers.DECODERS[request.param]().eval()
    )


def generators(count, first=0, seed=0):
    return [np.random.default_rng((seed, first + i)) for i in range(count)]


def test_strings_of_different_groups_share_no_recording(strings):
    groups = {}
    for numbers, group in zip(strings.made_of, strings.groups.tolist(), strict=True):
        groups.setdefault(group, set()).update(numbers)
    assert len(groups) == 48
    assert sum(map(len, groups.values())) == len(set.union(*groups.values()))
    assert all(len(set(numbers)) == len(numbers) for numbers in strings.made_of)


def test_no_recording_is_both_learnt_from_and_tested(example, strings):
    parts = [
        strings,
        example.utterances.strings_to_choose_with(per_group=5),
        example.utterances.strings_to_learn_from(per_group=20),
    ]
    used = [{number for numbers in part.made_of for number in numbers} for part in parts]
    takes = [{int(example.utterances.recordings().index[n]) for n in some} for some in used]
    assert [min(some) for some in takes] == [0, 16, 20]
    assert [max(some) for some in takes] == [15, 19, 49]


def test_a_string_says_its_digits_at_its_level(example, strings):
    data = example.utterances.recordings()
    for sound, text, numbers, speaker in zip(
        strings.sounds, strings.texts, strings.made_of, strings.speakers, strict=True
    ):
        assert text.split() == [example.utterances.WORDS[data.digits[n]] for n in numbers]
        assert set(data.speakers[list(numbers)]) == {speaker}
        spoken = sum(len(data.sounds[n]) for n in numbers)
        assert spoken + 0.2 * data.rate < len(sound) < spoken + (0.6 + 0.25 * 6) * data.rate
        level = 10 * np.log10(np.sum((sound / 2**15) ** 2) / spoken)
        assert -26 - 4 - 2 - 0.1 < level < -26 + 4 + 2 + 0.1
    assert {len(text.split()) for text in strings.texts} == {3, 4, 5, 6, 7}


def test_a_seed_gives_one_set_of_strings_and_some_keep_their_groups(example, strings):
    again = example.utterances.strings_to_test_with(per_group=3)
    assert all(np.array_equal(a, b) for a, b in zip(strings.sounds, again.sounds, strict=True))
    assert example.utterances.strings_to_test_with(per_group=3, seed=1).texts != strings.texts
    few = strings.some(48)
    assert len(few) == 48
    assert set(few.groups) == set(range(48))
    assert few.texts[-1] == strings.texts[-1]


def test_training_batches_differ_from_one_another_and_come_again(example, strings):
    first, second = example.utterances.batches(2, 4, seed=3)
    assert first[1] != second[1]
    again = next(example.utterances.batches(1, 4, seed=3))
    assert again[1] == first[1]
    assert all(np.array_equal(a, b) for a, b in zip(again[0], first[0], strict=True))


def test_a_tone_is_loudest_in_the_band_around_it(example):
    filters = example.hearing.mel_filters()
    assert filters.shape == (129, 40)
    bins = np.linspace(0, 4000, 129)
    between = (bins > bins[filters[:, 0].argmax()]) & (bins < bins[filters[:, -1].argmax()])
    np.testing.assert_allclose(filters[between].sum(axis=1), 1, atol=1e-6)
    for hertz in (500, 1500, 3000):
        tone = np.sin(2 * np.pi * hertz * np.arange(4000) / 8000) * np.linspace(0, 1, 4000)
        waves, lengths = example.hearing.waves([tone])
        window = torch.hann_window(200)
        energy = torch.fft.rfft(waves.unfold(1, 200, 80) * window, 256).abs().square() @ torch.from_numpy(filters)
        assert filters[bins == hertz, int(energy.sum((0, 1)).argmax())] > 0.3
        bands, counts = example.hearing.Bands()(waves, lengths)
        assert bands.shape == (1, int(counts[0]), 40)
        np.testing.assert_allclose(bands.mean(1), 0, atol=1e-5)


def test_integers_and_fractions_sound_alike(example):
    samples = np.random.default_rng(1).integers(-3000, 3000, 500).astype(np.int16)
    whole, fractions = (example.hearing.waves([s])[0] for s in (samples, samples / 2**15))
    torch.testing.assert_close(whole, fractions)


def test_an_answer_does_not_depend_on_the_batch(recogniser, sounds):
    together = recogniser.encode(sounds)
    words = recogniser.decode(together.states)
    assert [len(states) for states in together.states] == [1, 1, 1, 1, 9, 28, 75]
    for number, sound in enumerate(sounds):
        alone = recogniser.encode([sound])
        np.testing.assert_allclose(alone.states[0], together.states[number], atol=1e-5)
        np.testing.assert_allclose(alone.features[0], together.features[number], atol=1e-5)
        said = recogniser.decode(alone.states)
        assert said.texts[0] == words.texts[number]
        np.testing.assert_allclose(said.features[0], words.features[number], atol=1e-4)
        np.testing.assert_allclose(said.log_probability[0], words.log_probability[number], rtol=1e-4)


def test_passes_with_dropout_belong_to_items(recogniser, sounds):
    usual = recogniser.encode(sounds)
    passes = recogniser.encode(sounds, generators(len(sounds)))
    alone = recogniser.encode(sounds[5:6], generators(1, first=5))
    np.testing.assert_allclose(alone.states[0], passes.states[5], atol=1e-5)
    assert np.abs(passes.states[5] - usual.states[5]).max() > 0.01
    other = recogniser.encode(sounds[5:6], generators(1, first=5, seed=1))
    assert np.abs(other.states[0] - passes.states[5]).max() > 0.01
    np.testing.assert_array_equal(recogniser.encode(sounds).states[5], usual.states[5])

    said = recogniser.decode(usual.states, generators(len(sounds)))
    one = recogniser.decode(usual.states[6:], generators(1, first=6))
    np.testing.assert_allclose(one.features[0], said.features[6], atol=1e-4)
    assert np.abs(said.features[6] - recogniser.decode(usual.states).features[6]).max() > 1e-3


def test_dropout_drops_its_share_of_channels_at_all_times(example):
    layer = example.dropping.ItemDropout(0.1)
    items = torch.ones(200, 3, 100)
    assert torch.equal(layer.eval()(items), items)
    with example.dropping.dropping(torch.nn.Sequential(layer), generators(200)):
        dropped = layer(items)
    assert not layer.training
    assert (dropped == 0).float().mean() == pytest.approx(0.1, abs=0.01)
    assert dropped.mean() == pytest.approx(1, abs=0.01)
    assert torch.equal(dropped[:, 0], dropped[:, 2])


def test_what_is_said_step_by_step_is_what_is_scored_at_once(example, recogniser, sounds):
    decoder, end = recogniser.decoder, example.decoders.END
    hidden = recogniser.encoder(*example.hearing.waves(sounds[4:]))
    said = example.decoders.decode(decoder, hidden)
    for number, digits in enumerate(said.digits):
        full = len(digits) == example.decoders.MOST
        words = torch.tensor([[end, *digits][: example.decoders.MOST]])
        one = example.encoder.Hidden(
            hidden.states[number : number + 1], hidden.counts[number : number + 1], hidden.features
        )
        with torch.no_grad():
            last = decoder.taught(one, words)
            logs = decoder.head(last).log_softmax(2)[0]
        assert logs.argmax(1).tolist() == [*digits, end][: example.decoders.MOST if full else None]
        assert float(logs.max(1).values.sum()) == pytest.approx(float(said.log_probability[number]), rel=1e-4)
        torch.testing.assert_close(last[0].mean(0), said.features[number], atol=1e-4, rtol=1e-4)


def test_a_layer_is_the_one_of_torch(example):
    torch.manual_seed(0)
    ours = example.transformer.Layer(0.1).eval()
    width, heads = example.transformer.WIDTH, example.transformer.HEADS
    theirs = torch.nn.TransformerDecoderLayer(
        width, heads, example.transformer.INNER, dropout=0, batch_first=True, norm_first=True
    ).eval()
    with torch.no_grad():
        for norm in ours.norms:
            norm.weight.normal_()
            norm.bias.normal_()
        theirs.self_attn.in_proj_weight.copy_(ours.words.weight)
        theirs.self_attn.in_proj_bias.copy_(ours.words.bias)
        theirs.multihead_attn.in_proj_weight.copy_(torch.cat([ours.query.weight, ours.sound.weight]))
        theirs.multihead_attn.in_proj_bias.copy_(torch.cat([ours.query.bias, ours.sound.bias]))
    pairs = [(theirs.self_attn.out_proj, ours.words_out), (theirs.multihead_attn.out_proj, ours.sound_out)]
    pairs += [(theirs.linear1, ours.dense[0]), (theirs.linear2, ours.dense[2])]
    pairs += list(zip((theirs.norm1, theirs.norm2, theirs.norm3), ours.norms, strict=True))
    for to, source in pairs:
        to.load_state_dict(source.state_dict())
    said, heard = torch.randn(2, 5, width), torch.randn(2, 9, width)
    counts = torch.tensor([9, 4])
    inside = example.hearing.within(counts, 9)
    kept = tuple(torch.ones(2, 1, width) for _ in range(3))
    sound = tuple(example.transformer.heads(part) for part in ours.sound(heard).chunk(2, 2))
    causal = torch.nn.Transformer.generate_square_subsequent_mask(5)
    expected = theirs(said, heard, tgt_mask=causal, memory_key_padding_mask=~inside, tgt_is_causal=True)
    torch.testing.assert_close(ours(said, sound, kept, inside[:, None, None]), expected, atol=1e-5, rtol=1e-5)


def test_attention_ignores_what_lies_behind_the_end(example):
    torch.manual_seed(0)
    decoder = example.recurrent.Recurrent().eval()
    hidden = example.encoder.Hidden(torch.randn(2, 30, 128), torch.tensor([30, 12]), torch.zeros(0))
    memory = decoder.start(hidden)
    for _ in range(3):
        decoder.step(memory, torch.full((2, 1), example.decoders.END))
    torch.testing.assert_close(memory.attended.sum(1), torch.full((2,), 3.0))
    assert (memory.attended[1, 12:] == 0).all()
    assert (memory.attended[1, :12] > 0).all()


def test_hidden_runs_are_no_wider_than_asked(example):
    recipe = example.train.Recipe(masks=(1, 2), widest=(6, 10))
    torch.manual_seed(0)
    hidden = example.train.hidden_runs(torch.ones(50, 80, 40), recipe) == 0
    bands, frames = hidden.all(1).sum(1), hidden.all(2).sum(1)
    assert bands.max() <= 6
    assert bands.max() > 3
    assert 10 < frames.max() <= 20
    assert torch.equal(hidden, hidden.all(1)[:, None, :] | hidden.all(2)[:, :, None])


def test_words_wrong_are_counted_against_words_said(example):
    rate = example.recognisers.word_error_rate
    assert rate(["one two three", "four"], ["one three", "four five"]) == 2 / 4
    assert rate(["one"], [""]) == 1
    jiwer = pytest.importorskip("jiwer")
    truths, answers = ["one two two three", "nine"], ["two one three four", "nine nine nine"]
    assert rate(truths, answers) == pytest.approx(jiwer.wer(truths, answers))


def test_without_weights_the_script_that_makes_them_is_named(example, tmp_path):
    with pytest.raises(InvalidInput, match=r"python train\.py"):
        example.recognisers.load("transformer", tmp_path)


def test_a_short_training_is_stored_and_comes_again(example, strings, tmp_path, monkeypatch, capsys):
    recipe = partial(example.train.Recipe, batch=4)
    monkeypatch.setattr(example.train, "Recipe", recipe)
    monkeypatch.setattr(sys, "argv", ["train.py", "--steps", "3", "--out", str(tmp_path)])
    monkeypatch.setattr(example.train.utterances, "strings_to_choose_with", lambda: strings.some(10))
    example.train.main()
    assert capsys.readouterr().out.count("of the words wrong") == 2
    loaded = example.recognisers.load("recurrent", tmp_path)
    encoder, decoder = example.train.fit_first(recipe(steps=3))
    for ours, again in ((loaded.encoder, encoder), (loaded.decoder, decoder)):
        for name, value in again.state_dict().items():
            torch.testing.assert_close(ours.state_dict()[name], value)


@pytest.fixture(scope="module")
def heard(example, strings):
    pytest.importorskip("pocketsphinx")
    some = strings.some(16)
    return some, example.pocket.recognise(some.sounds, some.rate)


def test_pocketsphinx_hears_most_digits(example, heard):
    some, answers = heard
    assert example.recognisers.word_error_rate(some.texts, answers.texts) < 0.3
    assert all(len(text.split()) <= 7 for text in answers.texts)
    assert np.isfinite(answers.doubts).all()


def test_pocketsphinx_hears_each_sound_as_if_alone(example, heard):
    some, answers = heard
    again = example.pocket.recognise(some.sounds[7:8], some.rate)
    assert (again.texts[0], again.doubts[0]) == (answers.texts[7], answers.doubts[7])
    fractions = example.pocket.recognise([some.sounds[7] / 2**15], some.rate)
    assert (fractions.texts, fractions.doubts) == (again.texts, again.doubts)


@pytest.mark.parametrize("sound", [np.zeros(8000), np.zeros(1), np.zeros(0)], ids=["silence", "sample", "nothing"])
def test_pocketsphinx_doubts_what_it_does_not_understand(example, sound):
    pytest.importorskip("pocketsphinx")
    answer = example.pocket.recognise([sound], 8000)
    assert answer.texts == ("",)
    assert answer.doubts[0] == np.inf


@pytest.fixture(scope="module")
def found(example, strings, tmp_path_factory):
    """A study of a few strings with networks that have learnt nothing."""
    from safetensors.torch import save_model

    folder = tmp_path_factory.mktemp("speech")
    torch.manual_seed(0)
    parts = {"encoder": example.encoder.Encoder(), **{n: d() for n, d in example.recognisers.DECODERS.items()}}
    for name, part in parts.items():
        save_model(part, str(folder / f"{name}.safetensors"))
    whole = example.system.speech(folder, sphinx=False)
    few = {"strings": 16, "training": 16, "corruptions": ["background_noise"], "severities": [1, 5], "passes": 2}
    return example.system.study(whole, **few, folder=folder / "recordings").run()


def test_a_reduced_study_measures_every_configuration(example, found):
    parts = example.system.configurations(found)
    assert list(parts) == ["recurrent", "transformer"]
    for name, measured in parts.items():
        assert {score.module for score in measured.scores} == {"encoder", name}
        assert {score.name for score in measured.scores} == {"Maha-d", "KDE", "VR", "VRO", "doubt"}
        assert [len(measured.errors(condition)) for condition in measured.conditions] == [16] * 3
        assert not any(measured.faulty(condition).any() for condition in measured.conditions)


def test_tables_stand_beside_those_of_the_paper(example, found):
    ours = tables.side_by_side({**example.system.configurations(found), "vote": found.whole}, draws=200)
    table = example.beside.rates(ours)
    clean, *corrupted = table.rows
    assert clean[-4:] == ("0.212", "-", "0.035", "-")
    assert corrupted[0][:2] == ("background_noise", 1)
    assert corrupted[0][-4:] == ("0.164", "-23%", "0.330", "+843%")


def test_the_vote_is_that_of_the_configurations(example, found):
    assert example.system.voted(a=["one", "two"], b=["one", "three"], c=["four", "three"]) == ["one", "three"]
    assert found.whole.system == "speech"


def test_published_drops_follow_from_published_rates(example):
    published = example.published
    assert published.drop("reverb", 3, 1) == pytest.approx(15.0, abs=0.005)
    assert published.drop("speed", 5, 3) == pytest.approx(2.980, abs=0.005)
