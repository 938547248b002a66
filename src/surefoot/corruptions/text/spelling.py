"""Words spelt otherwise: numbers written out, and common misspellings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

import numpy as np

from surefoot.core import InvalidInput
from surefoot.corruptions.catalogue import corruption
from surefoot.corruptions.text import Generators
from surefoot.corruptions.text.characters import Word, change_words, clusters, joined

NUMBERS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Probability to change a number: paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5; others halfway."""
NUMBER = re.compile(r"(?<!\w)(?<![0-9][.,:])(?=([0-9]+(?:[.,:][0-9]+)*))\1(st|nd|rd|th|am|pm)?(?!\w)", re.IGNORECASE)
"""The whole number ahead, taken at once: possessive quantifiers, which say so, go wrong in Python 3.11.2."""
GROUPED = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+")
DECIMAL = re.compile(r"([0-9]+|[0-9]{1,3}(?:,[0-9]{3})+)\.([0-9]+)")
TIME = re.compile(r"([01]?[0-9]|2[0-4]):([0-5][0-9])")
LONGEST = 6
"""Digits that are read as one number where no commas part them."""
MOST = 15
"""Digits up to hundreds of trillions, for which there are words."""


@corruption(domain="text")
def digits_to_words(texts: list[str], severity: int, rngs: Generators) -> list[str]:
    """Numbers in English words, each with probability 0.2, 0.4, 0.6, 0.8, 1.

    Whole numbers, thousands with commas, decimals ("three point one four"), ordinals ("third") and times ("ten thirty",
    "ten oh five pm"); seven digits and more, as of telephones, and those that start with 0, digit by digit. Others with
    points, commas or colons are read part by part. Digits that touch letters ("A4"), and those of other scripts, stay.
    """
    return [_written_out(text, NUMBERS[severity - 1], rng) for text, rng in zip(texts, rngs, strict=True)]


def spoken(number: str, suffix: str = "") -> str:
    """A number in words; empty where it has none, as with the ordinal of a decimal.

    >>> spoken("1,250.5"), spoken("22", "nd"), spoken("9:05", "pm")
    ('one thousand two hundred fifty point five', 'twenty-second', 'nine oh five pm')
    """
    if suffix.lower() in ("st", "nd", "rd", "th"):
        whole = number.replace(",", "") if GROUPED.fullmatch(number) else number
        return ordinal(int(whole)) if whole.isdecimal() and len(whole) <= MOST else ""
    time = TIME.fullmatch(number)
    if suffix:
        read = _clock(time[1], time[2], even="") if time else cardinal(int(number)) if number.isdecimal() else ""
        return f"{read} {suffix}" if read and len(number) <= LONGEST else ""
    return _clock(time[1], time[2], even=" o'clock") if time else _figure(number)


def _written_out(text: str, share: float, rng: np.random.Generator) -> str:
    found = [(each, spoken(each[1], each[2] or "")) for each in NUMBER.finditer(text) if _stands_alone(text, each)]
    found = [(each, words) for each, words in found if words]
    pieces, end = [], 0
    for i in np.flatnonzero(rng.random(len(found)) < share):
        each, words = found[i]
        pieces += [text[end : each.start()], words]
        end = each.end()
    return "".join([*pieces, text[end:]])


def _stands_alone(text: str, found: re.Match[str]) -> bool:
    """Whether no sign before or after belongs to the digits, as the key around one does in an emoji."""
    start, end = found.span()
    before = start > 0 and joined(text[start - 1], text[start])
    return not before and not (end < len(text) and joined(text[end - 1], text[end]))


def _figure(number: str) -> str:
    decimal = DECIMAL.fullmatch(number)
    if decimal:
        return f"{_figure(decimal[1])} point {digit_by_digit(decimal[2])}"
    if GROUPED.fullmatch(number):
        digits = number.replace(",", "")
        return digit_by_digit(digits) if len(digits) > MOST or digits[0] == "0" else cardinal(int(digits))
    if number.isdecimal():
        plain = len(number) <= LONGEST and (number[0] != "0" or number == "0")
        return cardinal(int(number)) if plain else digit_by_digit(number)
    return "".join(_figure(part) if part.isdecimal() else part for part in re.split(r"([.,:])", number))


def _clock(hour: str, minute: str, *, even: str) -> str:
    if minute == "00":
        return cardinal(int(hour)) + even
    return f"{cardinal(int(hour))} {'oh ' if minute[0] == '0' else ''}{cardinal(int(minute))}"


# Numbers in English words.

ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand"), (100, "hundred"))
IRREGULAR = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}


def cardinal(number: int) -> str:
    """A whole number from 0, below a thousand trillions.

    >>> cardinal(40_321)
    'forty thousand three hundred twenty-one'
    """
    for scale, name in SCALES:
        if number >= scale:
            many, rest = divmod(number, scale)
            return f"{cardinal(many)} {name}" + (f" {cardinal(rest)}" if rest else "")
    if number < len(ONES):
        return ONES[number]
    ten, one = divmod(number, 10)
    return TENS[ten - 2] + (f"-{ONES[one]}" if one else "")


def ordinal(number: int) -> str:
    """The place of a number in a row.

    >>> ordinal(3), ordinal(20), ordinal(112)
    ('third', 'twentieth', 'one hundred twelfth')
    """
    words = cardinal(number)
    cut = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[cut:]
    if last in IRREGULAR:
        return words[:cut] + IRREGULAR[last]
    return words[:cut] + (f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th")


def digit_by_digit(digits: str) -> str:
    """Digits as one says those of a telephone.

    >>> digit_by_digit("007")
    'zero zero seven'
    """
    return " ".join(ONES[int(digit)] for digit in digits)


# Words as they are commonly misspelt.

WORDS = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Probability to replace a word: paper SYS (Wang et al. 2022, Table 1) at severities 1, 3 and 5; others halfway."""
WHERE = "misspellings"
Words = Mapping[str, Sequence[str]]


@corruption(domain="text")
def misspellings(texts: list[str], severity: int, rngs: Generators, *, words: Words | None = None) -> list[str]:
    """Words with a known common misspelling, replaced by it with probability 0.2, 0.4, 0.6, 0.8, 1.

    ``words`` gives the wrong spellings of each right one; without it, those of a few hundred English words are known,
    and ``surefoot.datasets.misspellings`` has many more. Capitals at the start, or of the whole word, are kept.
    """
    known = common_misspellings() if words is None else _checked(words)
    share = WORDS[severity - 1]

    def able(word: Word) -> bool:
        return bool(_wrong(known, "".join(word)))

    def change(word: Word, rng: np.random.Generator) -> Word:
        right = "".join(word)
        wrong = _wrong(known, right)
        return clusters(_in_capitals(wrong[rng.integers(len(wrong))], right))

    return [
        change_words(text, share, rng, able=able, change=change, apostrophes=True)
        for text, rng in zip(texts, rngs, strict=True)
    ]


def _checked(words: Words) -> Words:
    if isinstance(words, Mapping):
        return words
    remedy = 'For example {"receive": ["recieve"]}.'
    raise InvalidInput(
        "words must map right spellings to wrong ones", where=WHERE, found=type(words).__name__, remedy=remedy
    )


def _wrong(known: Words, right: str) -> list[str]:
    spellings = next((known[form] for form in (right, right.lower(), right.capitalize()) if form in known), ())
    listed = isinstance(spellings, Sequence) and not isinstance(spellings, str)
    if not listed or not all(isinstance(wrong, str) and wrong for wrong in spellings):
        raise InvalidInput("wrong spellings must be a list of words", where=WHERE, found=f"{spellings!r} for {right!r}")
    return [wrong for wrong in spellings if wrong.lower() != right.lower()]


def _in_capitals(wrong: str, right: str) -> str:
    if len(right) > 1 and right.isupper():
        return wrong.upper()
    return wrong[0].upper() + wrong[1:] if right[0].isupper() else wrong


# A few hundred English words and how they are commonly misspelt; a list of our own.

LIST = """
absence absense abscence; acceptable acceptible; access acess; accident accidant; accidentally accidently; accommodate
accomodate acommodate; accommodation accomodation; accomplish acomplish; according acording; achieve acheive;
achievement acheivement; acknowledge aknowledge; acquaintance aquaintance; acquire aquire; across accross; actually
actualy actully; address adress; addresses adresses; advertisement advertisment; advice advise; afternoon afternon;
again agian; against aganist; aggressive agressive; almost allmost; already allready alredy; always allways alwyas;
amateur amature; among amoung; amount ammount; analysis analisys; and adn; annual anual; another anohter; answer
anwser; apartment appartment; apparent apparant; apparently apparantly; appearance appearence apperance; appointment
apointment; appreciate apreciate; approximately aproximately; argument arguement; around arround; arrive arive;
arrived arived; arriving ariving; article artical; ask aks; assistance assistence; attempt atempt; attention atention;
available availible avaliable; average avarage; awful awfull; balance balence; basically basicly; beautiful beatiful
beautifull; because becuase becasue; before befor; beginning begining; behaviour behavour; belief beleif; believe
beleive belive; beneficial benificial; between betwen; bicycle bycicle; birthday birtday; breakfast breakfest;
brilliant briliant; building bulding; business buisness bussiness; calendar calender; can cna; cancel cancle; capital
captial; career carreer; careful carefull; category catagory; ceiling cieling; cemetery cemetary; century centuary;
certain certian; challenge challange; change chnage; changeable changable; check chek; chief cheif; child chlid;
children childern; chose choosed; clothes cloths; college collage colege; colleague collegue; column colum;
comfortable comfertable; coming comming; commercial comercial; commission comission; commitment committment; committee
commitee comittee; common comon; communication comunication; comparison comparision; completely completly; condition
condiction; confirm comfirm; congratulations congradulations; connection conection; conscience concience; conscious
concious; consider concider; consistent consistant; control controll; convenient convienient; correct corect; could
coudl; country contry; course corse; criticism critisism; curiosity curiousity; customer custumer; daily dayly;
deceive decieve; decide deside; decision descision; definite definate; definitely definately definitly; departure
depature; describe discribe; description discription; desert dessert; desperate desparate; destination destiantion;
detail detial; develop develope; development developement; difference diffrence; different diffrent; difficult
dificult; dining dinning; dinner diner; direction dirction; disappear dissapear; disappointed dissapointed; disease
desease; doesn't dosen't doesnt; dollar doller; don't dont; during durring; easily easely; eight eigth; either eiter;
eligible eligable; embarrass embarass; emergency emergancy; end edn; enough enought; entrance enterance; environment
enviroment; equipment equiptment; especially expecially; essential essencial; eventually eventualy; everyone everone;
everything everthing; exaggerate exagerate; example exmaple; excellent excelent; except exept; exercise excercise;
existence existance; expensive expencive; experience experiance; explain explane; explanation explaination; extremely
extremly; familiar familar; family familly; fascinating facinating; favourite favorate; february febuary; field feild;
final finall; finally finaly; find fidn; finish finsih; first frist; foreign foriegn; forty fourty; forward foward;
friday firday; friend freind; friendly freindly; friends freinds; fulfil fullfil; further futher; gallery galery;
gauge guage; general generel; generally generaly; government goverment; grammar grammer; grateful greatful; great
graet; group gruop; guarantee garantee; guard gaurd; guess gess; guidance guidence; happened happend; happening
hapening; harass harrass; have ahve; having haveing; height heigth; hello helo; hierarchy heirarchy; history histroy;
holiday holliday; hundred hunderd; hungry hungary; i'm im; ideally idealy; immediately immediatly; important
importent; include inculde; including inclding; independent independant; indispensable indispensible; information
infomation; inoculate innoculate; intelligence inteligence; interest intrest; interested intrested; interesting
intresting; internet intenet; interrupt interupt; irresistible irresistable; island iland; isn't isnt; it's its;
italian itallian; january janurary; jewellery jewelery; just jsut; knife knive; know konw; knowledge knowlege;
language langauge; last lsat; latest lastest; leaving leaveing; leisure liesure; length lenght; liaison liason;
library libary; licence lisence; lightning lightening; like liek; little littel; live liev; local locla; location
loaction; loose lose; love lvoe; made amde; maintenance maintainance; many mnay; marriage marrige; maybe mabey;
medicine medecine; medieval medeval; memento momento; message mesage; millennium millenium; minimum minumum; minute
minite; mischievous mischevious; moment momment; money mony; more mroe; mortgage morgage; museum musuem; mystery
mistery; name nmae; naturally naturaly; necessary neccessary necesary; needed neded; negotiate negociate; neighbour
nieghbour; neither niether; new nwe; niece neice; ninety ninty; ninth nineth; north noth; nothing nothign; noticeable
noticable; november novemeber; now nwo; number nubmer; occasion ocassion; occasionally occasionaly; occur ocur;
occurred occured; occurrence occurence; of fo; off of; office ofice; official oficial; often offen; only olny; open
oepn; opinion oppinion; opportunity oppurtunity; opposite oposite; option opiton; options optoins; order oder;
original orignal; other otehr; out otu; paid payed; parallel paralel; parliament parliment; particularly particulary;
pastime passtime; peaceful peacefull; people poeple; performance preformance; permanent permanant; persistent
persistant; personal personel; phenomenon phenomenom; piece peice; place palce; playwright playwrite; please plese;
pleasant plesant; politician politican; popular populer; position posistion; possess posess; possession posession;
possible possable; potato potatoe; precede preceed; prefer preffer; preferably preferrably; preference preferance;
preferred prefered; prejudice predjudice; prepare preprare; pretty prety; principal principle; privilege priviledge
privelege; probably probly probaly; problem probelm; proceed procede; process proccess; professional proffesional;
professor proffessor; program progam; pronunciation pronounciation; provide provied; psychology phsychology; public
publick; publicly publically; purpose porpose; pursue persue; quarter quater; question queston; questionnaire
questionaire; queue que; quiet queit; quite quiet; range rnage; read raed; ready redy; really realy; receipt reciept;
receive recieve; received recieved; recommend recomend reccommend; recommendation reccomendation; reference referance;
referred refered; referring refering; relevant relevent; religious religous; remember rember; repetition repitition;
request requst; require requier; reservation resevation; resistance resistence; resource resourse; response responce;
responsible responsable; restaurant restaraunt restuarant; restaurants restaraunts; return retrun; rhyme ryhme; rhythm
rythm; ridiculous rediculous; safety saftey; sandwich sandwhich; saturday saterday; scene sceen; schedule schedual;
search serach; secretary secratary; seize sieze; separate seperate; separately seperately; sergeant sargent; service
serivce; several serveral; should shoud; similar similiar; since sinse; sincerely sincerly; situation sitation; some
soem; someone somone; something somthing; sometimes somtimes; sorry sory; speak speek; special speical; specific
spesific; speech speach; start strat; station staion; stationary stationery; stopped stoped; strength strenght;
studying studing; succeed succede; success sucess; successful succesful sucessful; sufficient suficient; suggest
sugest; suggestion sugestion; summary sumary; sunday sundy; supersede supercede; surprise suprise; surprised suprised;
swimming swiming; technical tecnical; telephone telphone; temperature temperture; temporary temporery; tendency
tendancy; than then; thank thnak; thanks thansk; that taht; the teh; their thier; them thme; then than; there ther;
therefore therefor; these tehse; they tehy; thing thign; think thikn; this tihs; thorough thourough; those thsoe;
thought thougth; through thru; thursday thrusday; ticket tiket; time tiem; to ot; together togather; tomorrow tommorow
tommorrow; tonight tonite; too to; town twon; traffic trafic; train trian; trains trians; transferred transfered;
tries trys; truly truely; tuesday teusday; twelfth twelth; type tpye; typical typcial; tyranny tyrany; unfortunately
unfortunatly; unique uniqe; university univeristy; unnecessary unneccessary; until untill; upon apon; use ues; useful
usefull; using useing; usually usualy; vacuum vaccum; vegetable vegtable; vehicle vehical; very vrey; village vilage;
visible visable; visit vist; visiting visting; wait wiat; want wnat; weather wether; wednesday wensday; weird wierd;
welcome wellcome; well wel; what waht; when wehn; where whre; whether wether; which wich whihc; whole hole; whose
who's; will wil; with wiht; within whithin; without witout; women womens; wonderful wonderfull; work wrok; world
wolrd; would woud; write wirte; writing writting; wrong worng; yacht yatch; year yaer; yes yse; yesterday yestarday;
yield yeild; you yuo; your youre; you're youre
"""


@cache
def common_misspellings() -> Mapping[str, tuple[str, ...]]:
    """Wrong spellings of each right one, in small letters.

    Returns
    -------
    Mapping
        Tuples of wrong spellings by the right one.

    Examples
    --------
    >>> import surefoot as sf
    >>> sf.corruptions.common_misspellings()["receive"]
    ('recieve',)

    """
    entries = [entry.split() for entry in LIST.split(";")]
    return MappingProxyType({right: tuple(wrong) for right, *wrong in entries})
