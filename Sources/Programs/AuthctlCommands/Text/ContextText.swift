internal import JSON

/// What a relying party adds for a person.
enum ContextText {
  /// The name of the application, where the platform says nothing else of it than that and its id.
  static func application(_ context: JSON) -> SafeText {
    guard let members = context.object?.members, members.allSatisfy({ ["id", "name"].contains($0.name) }),
      let name = context["name"]?.string
    else { return Describe.value(context) }
    return "\(name)"
  }

  /// The heading and the text that it may have, then whatever else there is.
  static func rows(_ context: JSON?) -> [[SafeText]] {
    guard let context else { return [] }
    guard let object = context.object else { return [["context", Describe.value(context)]] }
    let texts = ["header", "body"].compactMap { object[$0]?.string }
    var rest = object
    for name in ["header", "body"] where rest[name]?.string != nil { rest[name] = nil }
    var cells = texts.map { "\($0)" as SafeText }
    if texts.isEmpty || !rest.isEmpty { cells.append(SafeText(.object(rest))) }
    return cells.map { ["context", $0] }
  }
}
