public import JSON

/// Formats the context that a relying party adds for the user; the context may be any JSON.
public enum ContextText {
  /// Returns the application's name if the context has only a name and an id; otherwise the whole context.
  public static func application(_ context: JSON) -> SafeText {
    guard let members = context.object?.members, members.allSatisfy({ ["id", "name"].contains($0.name) }),
      let name = context["name"]?.string
    else { return Describe.value(context) }
    return "\(name)"
  }

  /// Returns rows of a label and a text: heading and body, then the origin of the request, then other members.
  public static func rows(_ context: JSON?) -> [[SafeText]] {
    guard let context else { return [] }
    guard var rest = object(context)?.members else { return [["context", short(context)]] }
    let heading = take(["header", "body"], from: &rest)
    var rows = heading.map { ["context", short($0)] as [SafeText] }
    for place in places {
      let texts = take(place.names, from: &rest).map { short($0, separator: place.separator) }
      if !texts.isEmpty { rows.append([place.label, texts.joined(separator: place.separator)]) }
    }
    rows += rest.prefix(mostOthers).map { ["context", "\(cut($0.name)): \(short($0.value))"] as [SafeText] }
    if rest.count > mostOthers { rows.append(["context", "and \(rest.count - mostOthers) more"]) }
    return rows.isEmpty ? [["context", short(context)]] : rows
  }

  /// Returns the place that a request comes from, or the first row if the context names no place.
  public static func place(_ context: JSON?) -> SafeText? {
    let rows = rows(context)
    return ["location", "ip address"].lazy.compactMap { label in rows.first { $0[0] == label } }.first?[1]
      ?? rows.first?[1]
  }

  private static let mostOthers = 12
  private static let longest = 200

  /// The member names that senders use, in lower case and without separators.
  private static let places: [(label: SafeText, names: [String], separator: SafeText)] = [
    ("ip address", ["ip", "ipaddress", "clientip", "remoteip"], " "),
    ("location", ["location", "city", "region", "state", "country"], ", "),
    ("browser", ["browser", "browsername", "useragent"], " "),
    ("system", ["os", "osname", "operatingsystem"], " "),
    ("device", ["device", "devicename"], " "),
  ]

  /// Returns the context as an object, even if the sender serialized the object into a string.
  private static func object(_ context: JSON) -> JSONObject? {
    context.object ?? context.string.flatMap { try? JSON(parsing: Array($0.utf8)).object }
  }

  /// Removes the members with these names and returns their non-empty values, in the order of the names.
  private static func take(
    _ names: [String],
    from rest: inout [JSONObject.Member]
  ) -> [JSON] {
    let isMeant = { (member: JSONObject.Member, name: String) in
      member.name.lowercased().filter { !"_- ".contains($0) } == name
    }
    let found = names.flatMap { name in rest.filter { isMeant($0, name) } }
    rest.removeAll { member in names.contains { isMeant(member, $0) } }
    return found.map(\.value).filter { ![.null, ""].contains($0) }
  }

  /// Formats a value on one line of limited length; with a separator, an object is shown by its values alone.
  private static func short(_ value: JSON, separator: SafeText? = nil) -> SafeText {
    guard let separator, let members = value.object?.members,
      members.allSatisfy({ $0.value.object == nil && $0.value.array == nil })
    else { return value.string.map { "\(cut($0))" } ?? cut(Describe.value(value)) }
    return members.map { short($0.value) }.joined(separator: separator)
  }

  private static func cut(_ text: SafeText) -> SafeText { "\(cut(text.text))" }

  private static func cut(_ text: String) -> String {
    let scalars = text.unicodeScalars
    return scalars.count <= longest ? text : String(scalars.prefix(longest)) + "…"
  }
}
