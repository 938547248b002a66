"""A few hundred English words and how they are commonly misspelt; a list of our own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

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
    """Wrong spellings of each right one, in small letters."""
    entries = [entry.split() for entry in LIST.split(";")]
    return MappingProxyType({right: tuple(wrong) for right, *wrong in entries})
