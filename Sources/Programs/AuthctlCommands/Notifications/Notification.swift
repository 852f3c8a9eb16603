internal import JSON

/// A push notification as the daemon gives it.
struct Notification {
  let json: JSON

  var id: String { json["id"]?.string ?? "" }
  var state: String { json["state"]?.string ?? "" }

  /// Whether a person can be asked about it; a type that is not known yet may be.
  var canBeAnswered: Bool {
    let informs = ["authCanceled", "done", "test"].contains(json["type"]?.string)
    return state == "pending" && !informs
  }

  /// Whether nothing more can become of it.
  var isSettled: Bool { !["pending", "sending"].contains(state) }

  var wantsNumber: Bool { json["numberMatching"]?.object != nil }

  /// What it is about, in a few words.
  var title: SafeText {
    let texts = [json["title"], json["body"]].compactMap { $0?.string }.map { "\($0)" as SafeText }
    return texts.isEmpty ? "(no text)" : texts.joined(separator: ": ")
  }

  /// The cells of its line in a list: while it is open how long it stays so, afterwards when it was answered.
  var row: [SafeText] {
    let time = isSettled ? Describe.value(json["answer"]?["at"]) : Describe.expiry(json["expiresAt"])
    return ["\(id)", NotificationText.state(self), time, title]
  }

  /// Everything that a person needs to decide.
  ///
  /// The choices of a number are not shown: the right one has to be read where the sign-on happens, not guessed.
  var description: [SafeText] {
    var rows: [[SafeText]] = []
    if let title = json["title"] { rows.append(["title", Describe.value(title)]) }
    if let body = json["body"] { rows.append(["text", Describe.value(body)]) }
    rows += ContextText.rows(json["clientContext"])
    if let context = json["applicationContext"] {
      rows.append(["application", ContextText.application(context)])
    }
    rows.append(["account", Describe.value(json["account"])])
    if let category = NotificationText.category(json["category"]) { rows.append(["category", category]) }
    if let number = NotificationText.number(json["numberMatching"]) { rows.append(["number", number]) }
    rows.append(["ends", Describe.expiry(json["expiresAt"])])
    return Columns.lines(rows)
  }
}
