package import JSON

/// What a relying party adds for a person, in whatever form it likes.
package enum ContextText {
  /// The name of the application, where the platform says nothing else of it than that and its id.
  package static func application(_ context: JSON) -> SafeText {
    guard let members = context.object?.members, members.allSatisfy({ ["id", "name"].contains($0.name) }),
      let name = context["name"]?.string
    else { return Describe.value(context) }
    return "\(name)"
  }

  /// The heading and the text that it may have, then whatever else there is.
  package static func rows(_ context: JSON?) -> [[SafeText]] {
    guard let context else { return [] }
    guard var rest = context.object else { return [["context", Describe.value(context)]] }
    var cells: [SafeText] = []
    for name in ["header", "body"] {
      guard let text = rest[name]?.string else { continue }
      cells.append("\(text)")
      rest[name] = nil
    }
    if cells.isEmpty || !rest.isEmpty { cells.append(SafeText(.object(rest))) }
    return cells.map { ["context", $0] }
  }
}
