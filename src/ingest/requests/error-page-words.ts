/** A title, and what to do. */
export type Words = readonly [title: string, advice: string]

/** Why an address of a file shows none. */
export type Reason = "expired" | "refused" | "gone" | "busy" | "other"

type Language = Readonly<Record<Reason, Words>>

const en: Language = {
  expired: [
    "This link has expired",
    "Open the file again from the page where you found it, or ask whoever sent you the link for a new one.",
  ],
  refused: [
    "This link does not open the file",
    "The file is private, or part of the link is missing. Open it from the page where you found it, or ask for a new link.",
  ],
  gone: ["There is no file here", "It was deleted, or part of the link is missing."],
  busy: ["The file cannot be opened at the moment", "Wait a moment, then load this page again."],
  other: ["The file cannot be opened", "Ask whoever sent you the link for another one."],
}

const de: Language = {
  expired: [
    "Dieser Link ist abgelaufen",
    "Öffnen Sie die Datei noch einmal von der Seite aus, auf der Sie sie gefunden haben, oder bitten Sie um einen neuen Link.",
  ],
  refused: [
    "Dieser Link öffnet die Datei nicht",
    "Die Datei ist privat, oder ein Teil des Links fehlt. Öffnen Sie sie von der Seite aus, auf der Sie sie gefunden haben, oder bitten Sie um einen neuen Link.",
  ],
  gone: ["Hier ist keine Datei", "Sie wurde gelöscht, oder ein Teil des Links fehlt."],
  busy: ["Die Datei lässt sich gerade nicht öffnen", "Warten Sie einen Moment und laden Sie diese Seite dann neu."],
  other: ["Die Datei lässt sich nicht öffnen", "Bitten Sie um einen anderen Link."],
}

const fr: Language = {
  expired: [
    "Ce lien a expiré",
    "Ouvrez de nouveau le fichier depuis la page où vous l’avez trouvé, ou demandez un nouveau lien.",
  ],
  refused: [
    "Ce lien n’ouvre pas le fichier",
    "Le fichier est privé, ou une partie du lien manque. Ouvrez-le depuis la page où vous l’avez trouvé, ou demandez un nouveau lien.",
  ],
  gone: ["Il n’y a pas de fichier ici", "Il a été supprimé, ou une partie du lien manque."],
  busy: ["Le fichier ne peut pas être ouvert pour l’instant", "Patientez un moment, puis rechargez cette page."],
  other: ["Le fichier ne peut pas être ouvert", "Demandez un autre lien."],
}

const es: Language = {
  expired: [
    "Este enlace ha caducado",
    "Abra el archivo de nuevo desde la página donde lo encontró, o pida un enlace nuevo.",
  ],
  refused: [
    "Este enlace no abre el archivo",
    "El archivo es privado, o falta una parte del enlace. Ábralo desde la página donde lo encontró, o pida un enlace nuevo.",
  ],
  gone: ["Aquí no hay ningún archivo", "Se ha eliminado, o falta una parte del enlace."],
  busy: ["El archivo no se puede abrir en este momento", "Espere un momento y vuelva a cargar esta página."],
  other: ["El archivo no se puede abrir", "Pida otro enlace."],
}

const pt: Language = {
  expired: ["Este link expirou", "Abra o arquivo de novo na página em que o encontrou, ou peça um novo link."],
  refused: [
    "Este link não abre o arquivo",
    "O arquivo é privado, ou falta uma parte do link. Abra-o na página em que o encontrou, ou peça um novo link.",
  ],
  gone: ["Não há nenhum arquivo aqui", "Ele foi excluído, ou falta uma parte do link."],
  busy: ["O arquivo não pode ser aberto no momento", "Aguarde um instante e recarregue esta página."],
  other: ["O arquivo não pode ser aberto", "Peça outro link."],
}

const it: Language = {
  expired: [
    "Questo link è scaduto",
    "Apri di nuovo il file dalla pagina in cui l’hai trovato, o chiedi un nuovo link.",
  ],
  refused: [
    "Questo link non apre il file",
    "Il file è privato, o manca una parte del link. Aprilo dalla pagina in cui l’hai trovato, o chiedi un nuovo link.",
  ],
  gone: ["Qui non c’è nessun file", "È stato eliminato, o manca una parte del link."],
  busy: ["Al momento il file non può essere aperto", "Attendi un momento, poi ricarica questa pagina."],
  other: ["Il file non può essere aperto", "Chiedi un altro link."],
}

const nl: Language = {
  expired: [
    "Deze link is verlopen",
    "Open het bestand opnieuw vanaf de pagina waar je het gevonden hebt, of vraag om een nieuwe link.",
  ],
  refused: [
    "Deze link opent het bestand niet",
    "Het bestand is privé, of er ontbreekt een deel van de link. Open het vanaf de pagina waar je het gevonden hebt, of vraag om een nieuwe link.",
  ],
  gone: ["Hier is geen bestand", "Het is verwijderd, of er ontbreekt een deel van de link."],
  busy: ["Het bestand kan op dit moment niet worden geopend", "Wacht even en laad deze pagina dan opnieuw."],
  other: ["Het bestand kan niet worden geopend", "Vraag om een andere link."],
}

const pl: Language = {
  expired: ["Ten link wygasł", "Otwórz plik ponownie ze strony, na której go znaleziono, albo poproś o nowy link."],
  refused: [
    "Ten link nie otwiera pliku",
    "Plik jest prywatny albo brakuje części linku. Otwórz go ze strony, na której go znaleziono, albo poproś o nowy link.",
  ],
  gone: ["Nie ma tu pliku", "Został usunięty albo brakuje części linku."],
  busy: ["W tej chwili nie można otworzyć pliku", "Poczekaj chwilę i odśwież tę stronę."],
  other: ["Nie można otworzyć pliku", "Poproś o inny link."],
}

const ja: Language = {
  expired: [
    "このリンクは有効期限が切れています",
    "元のページからもう一度ファイルを開くか、新しいリンクを送ってもらってください。",
  ],
  refused: [
    "このリンクではファイルを開けません",
    "ファイルが非公開か、リンクの一部が欠けています。元のページから開くか、新しいリンクを送ってもらってください。",
  ],
  gone: ["ここにファイルはありません", "削除されたか、リンクの一部が欠けています。"],
  busy: ["現在ファイルを開けません", "しばらく待ってから、このページを再読み込みしてください。"],
  other: ["ファイルを開けません", "別のリンクを送ってもらってください。"],
}

const zh: Language = {
  expired: ["此链接已过期", "请从原来的页面重新打开文件，或向发送者索取新的链接。"],
  refused: ["此链接无法打开文件", "文件是私密的，或链接不完整。请从原来的页面打开，或索取新的链接。"],
  gone: ["这里没有文件", "文件已被删除，或链接不完整。"],
  busy: ["暂时无法打开文件", "请稍候，然后重新加载此页面。"],
  other: ["无法打开文件", "请索取另一个链接。"],
}

const ko: Language = {
  expired: ["만료된 링크입니다", "원래 페이지에서 파일을 다시 열거나 새 링크를 요청하세요."],
  refused: [
    "이 링크로는 파일을 열 수 없습니다",
    "비공개 파일이거나 링크의 일부가 빠져 있습니다. 원래 페이지에서 열거나 새 링크를 요청하세요.",
  ],
  gone: ["여기에는 파일이 없습니다", "삭제되었거나 링크의 일부가 빠져 있습니다."],
  busy: ["지금은 파일을 열 수 없습니다", "잠시 기다린 후 이 페이지를 새로 고치세요."],
  other: ["파일을 열 수 없습니다", "다른 링크를 요청하세요."],
}

const ar: Language = {
  expired: ["انتهت صلاحية هذا الرابط", "افتح الملف مجددًا من الصفحة التي وجدته فيها، أو اطلب رابطًا جديدًا."],
  refused: [
    "هذا الرابط لا يفتح الملف",
    "الملف خاص، أو جزء من الرابط مفقود. افتحه من الصفحة التي وجدته فيها، أو اطلب رابطًا جديدًا.",
  ],
  gone: ["لا يوجد ملف هنا", "حُذف الملف، أو جزء من الرابط مفقود."],
  busy: ["لا يمكن فتح الملف الآن", "انتظر قليلًا، ثم أعد تحميل هذه الصفحة."],
  other: ["لا يمكن فتح الملف", "اطلب رابطًا آخر."],
}

const he: Language = {
  expired: ["פג תוקפו של הקישור", "יש לפתוח את הקובץ שוב מהעמוד שבו הוא נמצא, או לבקש קישור חדש."],
  refused: [
    "הקישור הזה אינו פותח את הקובץ",
    "הקובץ פרטי, או שחלק מהקישור חסר. יש לפתוח אותו מהעמוד שבו הוא נמצא, או לבקש קישור חדש.",
  ],
  gone: ["אין כאן קובץ", "הקובץ נמחק, או שחלק מהקישור חסר."],
  busy: ["אי אפשר לפתוח את הקובץ כרגע", "יש להמתין רגע ולטעון את העמוד מחדש."],
  other: ["אי אפשר לפתוח את הקובץ", "יש לבקש קישור אחר."],
}

/** By the primary subtag of BCP 47: the languages that the components speak. */
export const languages: ReadonlyMap<string, Language> = new Map(
  Object.entries({ en, de, fr, es, pt, it, nl, pl, ja, zh, ko, ar, he }),
)

/** The tag of the language that a reader understands best (RFC 9110 §12.5.4); English where none is here. */
export const chooseLanguage = (accepted: string | null): string => {
  const wishes = (accepted ?? "")
    .slice(0, 500)
    .split(",")
    .flatMap((wish) => {
      const [, tag = "", weight = "1"] = /^\s*([a-z]{2,3})(?:-[a-z0-9-]+)?\s*(?:;\s*q=([\d.]+)\s*)?$/i.exec(wish) ?? []
      return languages.has(tag.toLowerCase()) && Number(weight) > 0
        ? [{ tag: tag.toLowerCase(), weight: Number(weight) }]
        : []
    })
  return wishes.toSorted((a, b) => b.weight - a.weight)[0]?.tag ?? "en"
}
