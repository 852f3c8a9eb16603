internal import CourierProtocol
internal import JSON
internal import Text
internal import WebAddress

/// Text with links: `{{name}}` is replaced by the link's text and its URL.
enum RichText {
  private static let maximumReplacements = 32

  /// Returns the text of a field for users; `nil` if it has none.
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

  /// Replaces all names in one pass, so that names within inserted text stay unchanged.
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
    // A link without a valid web URL is shown as its text only.
    guard let url = replacement["href"]?.string.flatMap({ WebURL($0) }) else { return text }
    return text.isEmpty ? url.text : "\(text) (\(url.text))"
  }
}

/// Limit for the total rich text of a page; if a page exceeds it, the sign-on fails.
struct PageBudget {
  /// Remaining bytes of expanded text; the initial value is the maximum size of a document.
  private var text = CourierResponse.largestDocument

  /// Reserves this number of bytes.
  mutating func spend(text count: Int) throws(SignOnFailure) {
    guard count <= text else { throw .tooLarge }
    text -= count
  }
}
