"""
Names that many people bear, and words that streets are called by, in several languages.

A column whose heading says nothing is told by them: where a tenth of the values are among the first, it holds given
names. They are common knowledge and no register's.
"""

from __future__ import annotations

from typing import Final

_GIVEN: Final = """
aaron adam adrian agnieszka ahmed aisha alan albert alejandro aleksandra alessandro alexander alexandra alexis alice
alison amanda amelia amy ana anders andre andrea andreas andrew angela anita ann anna anne annette anthony antonio
arthur ashley astrid barbara beatriz ben benjamin bernd bianca birgit bjorn brandon brenda brian bruno camille carl
carla carlos carmen carol caroline catherine charles charlotte cheryl chiara chloe chris christian christina christine
christopher claire claudia craig cristina cynthia daniel daniela david deborah denise dennis diana diane dirk dmitri
donald donna dorothy dylan edward elena elisabeth elizabeth ella ellen emily emma eric erik esther ethan eva fatima
felix fernando florian frances francesca francesco francisco francois frank franz frederic gabriel gary george gerald
gerhard giovanni giulia giuseppe gloria grace gregory greta guillaume hannah hans harry heather heike heinz helen
helena helga henry hugo ian ibrahim ines ingrid irene isabel isabella ivan jack jacob jacqueline jakub james jamie jan
jane janet jason javier jean jeffrey jennifer jens jeremy jerry jessica jesus joan joanna joao joe johan johannes john
jonathan jorge jose joseph joshua juan judith judy julia julian julie justin karen karin karl katarzyna kate katharina
katherine kathleen kathryn katie keith kelly kenneth kevin kim klaus krzysztof kyle larry lars laura lauren lea leah
lena leon leonie liam lily linda lisa louis louise luca lucas lucia lucy luis lukas luke magdalena malgorzata manfred
manuel marc marco margaret maria marie marion mark markus marta martha martin martina mary mathieu matteo matthew
maurice max maximilian megan mehmet melissa mia michael michaela michal michel michelle miguel mike mohamed mohammed
monica monika monique mustafa nancy natalie natasha nathalie nathan nicholas nicolas nicole nina noah nora olga oliver
olivia oscar pablo pamela patricia patrick paul paula paulo pedro peter petra philip philippe pierre piotr rachel
rafael ralph raymond rebecca regina renate ricardo richard robert roberto roger roland ronald rosa roy russell ruth
ryan sabine sally samantha samuel sandra sara sarah scott sean sebastian sergio sharon silvia simon sofia sonia sophie
stefan stefania steffen stephanie stephen steven susan susanne sven svetlana sylvia sylvie tanja tanya teresa terry
theresa thierry thomas timothy tina tobias tom tomasz torsten tyler ulrich ulrike ursula uwe valerie vanessa vera
veronica victor victoria viktor vincent virginia walter wayne wei werner william wolfgang xavier yan yusuf yvonne zoe
zofia
"""

_FAMILY: Final = """
adams ali allen almeida alonso alvarez andersen anderson andersson bailey baker bakker bauer becker bennett bernard
bianchi bonnet bos braun brown bruno campbell carter carvalho chen christensen clark collins colombo conti cook cooper
costa cox davies davis demir diaz dubois dupont durand edwards eriksson esposito evans fernandez ferrari ferreira
fischer flores fournier gallo garcia girard gomez gonzalez gray greco green gruber gutierrez hall hansen harris
hartmann hendriks hernandez hill hoffmann hofmann howard huber hughes ivanov jackson jansen jensen johansen johansson
johnson jones kaminski karlsson kaya kelly khan kim king klein koch koehler korhonen kowalczyk kowalski krause krueger
lambert lange larsen larsson laurent lee lefebvre lehmann leroy lewandowski lewis li liu lopez maier mancini marino
martin martinez mayer meijer meyer michel miller mitchell moore moreau moreno morgan morris mueller mulder munoz
murphy nelson neumann nguyen nielsen nilsson nowak o'brien o'connor oliveira olsen olsson park parker patel pedersen
pereira perez peters petrov phillips price ramirez rasmussen reed ricci richter rivera rizzo roberts robinson
rodriguez rogers romano romero rossi roux ruiz russo sanchez santos schaefer schmidt schneider schroeder schulz
schwarz scott silva simon singh smit smith souza steiner stewart taylor thomas thompson torres tran turner virtanen
visser vries wagner walker wang ward watson weber werner white williams wilson wisniewski wojcik wolf wood wright yang
yilmaz young zhang zielinski zimmermann
"""

_STREETS: Final = """
aleja allee av ave avenida avenue blvd boulevard calle camino chemin circuit close corso cours court cres crescent ct
dr drive gade gasse gatan gate gracht highway hwy impasse katu laan lane ln loop parade paseo piazza pl place platz
plaza plein quai rd ring road route rua rue sq square st str straat strasse street tce terrace tie trail travessa ufer
ul ulica vagen vei veien vej via viale vicolo way weg
"""

GIVEN_NAMES: Final = frozenset(_GIVEN.split())
FAMILY_NAMES: Final = frozenset(_FAMILY.split())
STREET_WORDS: Final = frozenset(_STREETS.split())
STREET_ENDINGS: Final = (
    "strasse",
    "str",
    "gasse",
    "platz",
    "allee",
    "straat",
    "laan",
    "plein",
    "gracht",
    "gatan",
    "vagen",
    "gata",
    "veien",
    "vej",
    "gade",
    "katu",
)
