"""Words of answers in sentences: which may stand next to the name of a class, which deny it, and which name nothing."""

import re


def _words(text):
    return frozenset(text.split())


_ARTICLES = (
    "a an the this that these those ein eine einen einem einer der die das den dem "
    "un une la le les du una el los il lo een het um uma"
)
# What does not change the class that is named after it.
BEFORE = _words(
    f"{_ARTICLES} one two three four five six several some its your my their our another each it i we you he she they there here "
    "is isn are am was were be been being s re m d ll as of with like to from in on by at for via into and or but also either "
    "see sees saw show shows showing depict depicts depicting contain contains containing feature features featuring think "
    "thinks believe say says guess suggest suggests identify identified classify classified call called name named label "
    "labelled labeled known look looks looking appear appears seem seems predict predicted choose chose pick answer answers "
    "likely probably possibly perhaps maybe most definitely certainly clearly specifically namely typically just only actually "
    "apparently presumably almost surely very sure yes ok okay well would could might may must should will can "
    "species genus family order class phylum kingdom category code id breed type kind sort scientific common latin "
    "adult young juvenile immature mature male female baby single lone beautiful cute lovely majestic elegant typical classic "
    "healthy sleeping resting curious happy "
    "no not neither nor never kein keine keinen nicht "
    "ist es è sind zeigt sieht wie est sont c son muestra"
)
# What may follow directly: another word would make another name ("fox squirrel").
AFTER = _words(
    "a an is isn are was were has have had s in on at with and or but that which who whose because since as from by near under "
    "over behind beside among against into onto through while when where here there this it its i sitting standing lying "
    "walking running resting looking perched perching flying swimming eating sleeping hunting collecting feeding grazing "
    "hiding captured seen shown visible facing photographed pictured drinking jumping climbing playing carrying holding "
    "watching emerging wearing based given for to can could may might should would will must appears appear seems looks also "
    "called known named classified species breed individual individuals specimen pup pups cub cubs kitten puppy puppies chick "
    "chicks fawn calf male female adult juvenile most very definitely probably likely possibly perhaps maybe sure though "
    "although however then due if not so after before during against across along around "
    "ist auf mit und oder im est sur dans avec et ou en con y o"
)
# Heads of noun phrases that claim no class: "is a photo of", "is a nocturnal mammal".
GENERIC = _words(
    "photo picture image photograph photography close closeup shot drawing illustration view scene snapshot frame member type "
    "kind sort species breed example case bit lot few good clear single close-up creature animal mammal bird fish insect "
    "reptile amphibian plant vehicle object thing item person predator carnivore herbivore rodent canid felid canine feline "
    "primate arthropod invertebrate vertebrate raptor classification identification answer question guess variety "
    "representative individual specimen result text article"
)
# Single words that are hardly ever meant as a class inside a sentence.
STOP = (
    BEFORE
    | AFTER
    | _words("other others none no not unknown general basics nothing any all what who how why more less")
)

_ADVERBS = r"(?:(?:most|very|likely|probably|possibly|definitely|clearly|actually|apparently|indeed|also|just|perhaps|maybe) )*"
# Where a text begins to claim what something is: after it comes a noun phrase.
_SAYS = r"\b(?:is|are|was|be|it's|that's|he's|she's|shows?|depicts?|features?|see|as|ist|est)\s+"
CLAIM = re.compile(
    rf"(?:^|{_SAYS}){_ADVERBS}(?:an?|ein|eine|einen|une?|una)\s+(?=\w)|{_SAYS}{_ADVERBS}(?=(?-i:[A-Z]))",
    re.MULTILINE | re.IGNORECASE,
)
# After a claim the same in other words: "is an Admiral (Vanessa atalanta)".
SAME = re.compile(r"\s*(?:\(|,|\bor\b|\balso known as\b|\baka\b|[-–—])[\s*_\"'“]*")
# Not about a class: taken out before denials are looked for.
_FULLY = r"(?:entirely|completely|totally|fully|absolutely|quite|really|very|too|100 ?%|so)*"
NO_DENIAL = re.compile(
    rf"(?:\bnot|n['’]t|\bcannot)\s+(?:be\s+|say\s+)?{_FULLY}\s*(?:sure|certain|confident|clear)\b"
    r"|\bno doubt\b|\bwithout (?:a |any )?doubt\b|\bnot only\b|\bno question\b"
    r"|\bif i (?:had|have) to (?:guess|choose|pick|decide)\b",
    re.IGNORECASE,
)
DENIAL = re.compile(
    r"n['’]t\b|\b(?:not|no|never|neither|nor|none|without|cannot|cant|unable|exclud\w+|rul(?:e|es|ed|ing) (?:it )?out|rather than"
    r"|instead of|unlike|other than|except|than|similar to|resembl\w+|reminiscent|confus\w+|mistak\w+|compar\w+|versus|vs"
    r"|differ\w*|distinguish\w*|relat\w+|relatives?|whether|if|unless|toy|statue|sculpture|plush|costume|kein\w*|nicht|pas|ni|ohne"
    r"|ähn\w+|semejante)\b",
    re.IGNORECASE,
)
DENIED_AFTER = re.compile(
    r"[\s*_\"'”’)]*(?:\?|(?:(?:is|are|was|were|can|could|seems|would)\s+)?(?:be\s+)?(?:very |rather |highly |also )?"
    r"(?:n['’]t\b|not\b|unlikely|excluded|ruled out|impossible|out of the question))",
    re.IGNORECASE,
)
# Where what was said before no longer denies what follows.
NEW_CLAUSE = re.compile(
    r"[.;:!?\n()]|\bbut\b|\bhowever\b|\bthough\b|,\s*(?=(?:but|it|this|that|i|he|she|they|so|sondern|mais|sino)\b)",
    re.IGNORECASE,
)
ALTERNATIVE = _words("or either oder ou")
