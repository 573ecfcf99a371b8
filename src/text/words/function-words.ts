import { fold } from './fold.ts'

/*
 * The most frequent function words of each language. They indicate the language of a text, and queries are not searched by them. The lists
 * are small on purpose: a missing word costs little, because frequent words have low weights.
 */
const lists: Readonly<Record<string, string>> = {
  en:
    'a about an and are as at be been but by can could did do does for from had has have how i if in into is it its ' +
    'me my not of on or our should so such than that the their them then there these they this to us was we were what ' +
    'when where which while who why will with would you your',
  de:
    'aber alle als am an auch auf aus bei bis da damit dann das dass dem den der des die dies diese diesem diesen ' +
    'dieser dieses doch durch ein eine einem einen einer eines er es für haben hat hatte ich ihr ihre ihren im in ist ' +
    'kann können man mehr mit nach nicht noch nur oder sein seine seiner sich sie sind so über um und uns unter von ' +
    'vor war waren was welche welchem welchen welcher welches wenn wer werden wie wieviele wir wird wo wurde wurden zu ' +
    'zum zur zwischen',
  fr:
    'à au aux avec ce ces cet cette c d dans de des du elle elles en est et étaient était être eux fut il ils j je l ' +
    'la le les leur leurs lui m ma mais mes n ne nos notre nous on ont ou où par pas plus pour qu quand que quel quelle ' +
    'quelles quels qui quoi s sa sans se ses son sont sur t ta te tes ton tu un une vos votre vous y',
  es:
    'a al como con cual cuales cuál cuáles cuando cuándo de del donde dónde e el él ella ellos en entre era eran es esa ' +
    'ese eso esta está estaba están este esto estos fue fueron ha había han hasta la las le les lo los más me mi muy no ' +
    'nos o para pero por porque que qué quien quién quienes se según ser si sin sobre son su sus también tiene tuvo un ' +
    'una unas uno unos y ya',
  it:
    'a ad ai al alla alle anche che chi ci come con cui da dai dal dalla dalle degli dei del dell della delle di dove e ' +
    'è ed era erano fu furono gli ha hanno i il in l la le lo loro ma mi nei nel nell nella nelle non o per più quale ' +
    'quali quando quanti quanto quello questa questo se si sono sua sue sui sul sulla suo tra un una uno',
  pt:
    'a ao aos as às com como da das de dele do dos e é ela ele eles em entre era eram essa esse esta está este foi foram ' +
    'isso isto já lhe mais mas me muito na nas não no nos o onde os ou para pela pelas pelo pelos por qual quais quando ' +
    'que quem se sem ser seu seus são só sua suas também tem um uma umas uns',
  nl:
    'aan al als bij dan dat de deze die dit door een en er had hadden heb heeft hem het hij hoe hun ik in is je kan maar ' +
    'meer men met naar niet nog of om onder onze ook op over te tot uit van veel voor waar waren was wat we welk welke ' +
    'werd werden wie wij wordt worden ze zich zij zijn zo zou',
  sv:
    'alla att av blev bli blir de dem den denna deras dess dessa det detta där då efter eller en ett från för ha hade han ' +
    'har hon hur i icke inte jag kan man med men mer mot när och om på sedan sig sin sina som så till under upp ut vad ' +
    'var vara vem vid vilka vilken vilket är åt över',
  da:
    'af alle at blev bliver da de dem den denne der deres det dette dig din disse efter eller en end er et for fra ham han ' +
    'har havde hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvornår i ikke jeg kan man med men mig mod når og ' +
    'også om op over på sig sin sine skal som til ud under var ved være været',
  no:
    'alle at av ble bli blir da de dem den denne der deres det dette du eller en enn er et etter for fra han har hadde hun ' +
    'hva hvem hvilke hvilken hvilket hvor hvordan i ikke jeg kan man med meg men mot når og også om opp over på seg sin ' +
    'sine skal som så til under ut var ved være vært',
  fi:
    'ei että he hän ja jo joka jonka jos joten jotka joka kanssa kuin kuinka kun me mikä miksi milloin millä minä missä ' +
    'mitkä mitä mukaan mutta myös ne niiden niin noin nyt oli olivat olla on ovat se sekä sen siinä sitä tai tämä tämän ' +
    'vain voi ketkä kuka',
  hu:
    'a abban akik amely amelyek amikor ami az azok be csak de e egy egyik ehhez el és ez ezek ezt fel hanem hány hogy hol ' +
    'hogyan ha ki kik is itt így között le lehet lesz majd meg mely melyek melyik mi mint mit mikor miért míg nagyon nem ' +
    'olyan pedig sem szerint után vagy van vannak volt voltak',
  ro:
    'a acest această acesta ai al ale am ar are așa au avea ca că cand când care ce cel cele cei cine cu cum cât câte câți ' +
    'dar de decât din dintre după ea ei el erau era este eu fi fost iar în între l la le lor lui mai nu o pe pentru prin ' +
    'sa să sale sau se si și sunt sub său un unde unei unor unui',
  tr:
    'ama arasında bir bu çok da daha de değil diye en gibi göre hangi hangisi her için ile ise kadar kaç ki kim mı mi mu mü ' +
    'nasıl ne neden nedir nerede o olan olarak oldu olduğu sonra şu tarafından var ve veya ya yok zaman',
  id:
    'ada adalah akan apa atau bagaimana bahwa dalam dan dapat dari dengan di ini itu juga kapan karena ke mana mereka oleh ' +
    'pada para saat saja sebagai sebuah secara seperti siapa sudah telah tidak untuk yang',
  pl:
    'a aby ale bo był była były było być co czy dla do gdy gdzie go i ich ile im jak jaka jaki jakie jako jednak jego jej ' +
    'jest jeszcze już kiedy kto która które którego której który których lub ma mu na nad nie niż o od oraz po pod przed ' +
    'przez przy są się ta tak także tam te tego tej ten to tu w we więc z za ze został została że',
  cs:
    'a aby ale ani až bez byl byla byli bylo být co což či do ho i jak jako je jeho jejich jen jsem jsou již k kde kdo kdy ' +
    'ke která které kterého který kteří mezi mezi na nad ne nebo není o od po pod podle pro proč před při s se si než tak ' +
    'také ten to u v ve více však z za ze že',
  vi:
    'ai bao bị bởi các cái cho chỉ có của cũng đã đang đâu đến để đó được gì giữa hay hơn khi không là lại làm lên mà mỗi ' +
    'một nào này nên nếu nhiều như những nhưng ở ra rằng rất sau sẽ sự tại theo thì trên trong trước từ và vào về vẫn với',
  ru:
    'а без был была были было быть в во вы где да для до его ее её если есть ещё же за и из или им их к как какая какие какой ' +
    'каких когда кто кого которая которые который которых ли между мы на над не него нет но о об от по под после при с со ' +
    'сколько так также там то тоже только у уже что чем чего чтобы эта эти это этого этот я',
  uk:
    'а або але без був була були було бути в від вона вони він все де для до є з за зі і із її й його коли кого крім ми на ' +
    'над не ні після по при про та так також те то тому у хто це цей ці чи чим що щоб як яка яке який які яких',
  bg:
    'а бе беше били в във да до е за и из или има как каква какво какви като когато кога които който която което към ли между ' +
    'му на над не но от по под при с са са се след със те то това този той тя тези че ще',
  sr:
    'а али био била било били бити где да до за и из или их је једна један када кад као која које који ко колико код ли међу ' +
    'на над не него о од по под са се су та то у што шта',
  el:
    'αλλά αν από από αυτή αυτό αυτός για γιατί δε δεν είναι ένα ένας ενός επίσης ή η ήταν θα και κατά με μετά μεταξύ μια μία ' +
    'μιας να ο οι όπου όπως όταν ότι πιο ποια ποιά ποιες ποιο ποιοι ποιον ποιος που πού πότε πριν προς πως πώς πόσα πόσο ' +
    'πόσοι σε σαν στα στη στην στις στο στον στους τα τη την της τι τις το τον του τους των υπό ως',
  ar:
    'أن أو أي أين إلى إن التي الذي الذين اللذان بعد بين تم تلك ثم حتى حول خلال ذلك على عن عند عندما فى في قبل قد كان كانت كل كما ' +
    'كم كيف لا لم لماذا ما ماذا متى مثل مع من منذ هذا هذه هل هم هو هي و وقد وكان يتم',
  fa:
    'آن آنها از است اند این ای با باید بر برای بود بودند به تا چرا چند چه چگونه خود در را شد شده شدند که کجا کدام کرد کرده کسی کند ' +
    'می ها های هر هم و ولی وی یا یک',
  hi:
    'अपनी अपने आदि इन इस इसके एक और कब कर करता करते करना करने कहाँ कहां का कि किन किया किस किसने किसी की के कैसे को कौन कौनसा क्या गई गए गया ' +
    'जब जा जाता जाती जाते जो तक तथा तो था थी थे द्वारा ने पर बाद भी मे में या यह ये रहा रहे लिए लेकिन वह वे साथ से ही हुआ हुई हुए है हैं हो ' +
    'होता होती होते',
  th:
    'กับ การ ก็ ขอ ของ ครับ ค่ะ คือ จะ จาก ด้วย ดังนั้น ได้ ตั้งแต่ ถึง ถูก ทั้ง ที่ ที่ไหน ที่สุด เท่าไหร่ นั้น นี้ ใน โดย ใด ต่อ ให้ บ้าง เป็น เพราะ เพื่อ มา มี เมื่อ เมื่อไร ' +
    'เมื่อใด แต่ และ แล้ว ว่า ไว้ หรือ อย่าง อย่างไร อยู่ อะไร อีก เอง ไหน ใคร ไป ไม่ กี่',
  he: 'או אל אם את אשר בין גם הוא היא היה היו הם זה זאת חלק יותר כאשר כי כל כך כמה לא לפני מה מי מתי עד על עם רק של שבו שהוא',
}

/** The folded function words of each language that has a list. */
export const functionWords: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(lists).map(([language, list]) => [
    language,
    new Set(list.split(' ').map((word) => fold(word.normalize('NFC'), language))),
  ]),
)
