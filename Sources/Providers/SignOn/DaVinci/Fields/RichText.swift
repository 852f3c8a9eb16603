internal import CourierProtocol
internal import JSON
internal import Text
internal import WebAddress

/// Text in which links stand: `{{name}}` becomes the link's text, followed by where it leads.
enum RichText {
  private static let maximumReplacements = 32

  /// The text of a field for a person; `nil` if it has none.
  static func text(of field: JSON, _ budget: inout PageBudget) throws(SignOnFailure) -> String? {
    guard let rich = field["richContent"], let content = rich["content"]?.string else {
      return nil
    }
    let replacements = rich["replacements"]?.object ?? [:]
    guard replacements.members.count <= maximumReplacements else { return nil }
    let texts = JSONObject(replacements.members.map { ($0.name, .string(link($0.value))) })
    let text = try replace(texts, in: content, &budget)
    return DisplayText.trimmed(text, maximum: DisplayText.bodyLength)
  }

  /// Each part is looked up once, so that what replaces is not replaced again.
  private static func replace(_ replacements: JSONObject, in content: String, _ budget: inout PageBudget)
    throws(SignOnFailure) -> String
  {
    var result = ""
    var rest = content[...]
    while let (before, opened) = rest.parted(by: "{{"), let (name, after) = opened.parted(by: "}}") {
      let replacement = replacements[String(name.trimmed)]?.string ?? "{{\(name)}}"
      try budget.spend(text: before.utf8.count + replacement.utf8.count)
      result += before + replacement
      rest = after
    }
    return result + rest
  }

  private static func link(_ replacement: JSON) -> String {
    let text = replacement["value"]?.string ?? ""
    // Only what a browser may be sent to is worth being written down.
    guard let url = replacement["href"]?.string.flatMap({ WebURL($0) }) else { return text }
    return text.isEmpty ? url.text : "\(text) (\(url.text))"
  }
}

/// What one page may make of itself: past it the sign-on ends, while the page is still being read.
struct PageBudget {
  /// How much text may grow out of it, in bytes: no page that is taken has more to begin with.
  private var text = CourierResponse.largestDocument

  /// Notes that so much text is about to be made.
  mutating func spend(text count: Int) throws(SignOnFailure) {
    guard count <= text else { throw .tooLarge }
    text -= count
  }
}
