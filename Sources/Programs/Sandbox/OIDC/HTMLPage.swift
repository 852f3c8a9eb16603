import HTTPServer

/// A page for a person: texts and one form, without script or style.
struct HTMLPage {
  /// A field of a form, or with the kind `radio` one of several values for the same name.
  struct Field {
    let name: String
    var label: String?
    var kind = "text"
    var value = ""

    /// What a user signs on by, for the thing that the hidden field names.
    static func signOn(_ name: String, _ value: String) -> [Field] {
      [
        Field(name: name, kind: "hidden", value: value), Field(name: "username", label: "User name"),
        Field(name: "password", label: "Password", kind: "password"),
      ]
    }

    fileprivate var text: String {
      let input = "<input type=\"\(kind)\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
      guard let label = label.map(escaped) else { return input }
      return "<p><label>\(kind == "radio" ? "\(input) \(label)" : "\(label) \(input)")</label></p>"
    }
  }

  struct Button {
    let label: String
    var name: String?
    var value = ""

    fileprivate var text: String {
      let attributes = name.map { " name=\"\(escaped($0))\" value=\"\(escaped(value))\"" } ?? ""
      return "<button type=\"submit\"\(attributes)>\(escaped(label))</button>"
    }
  }

  struct Form {
    let action: String
    var method = "post"
    let fields: [Field]
    let buttons: [Button]

    fileprivate var text: String {
      """
      <form method="\(method)" action="\(escaped(action))">
      \(fields.map(\.text).joined(separator: "\n"))
      \(buttons.map(\.text).joined(separator: "\n"))
      </form>
      """
    }
  }

  let title: String
  var paragraphs: [String] = []
  var link: String?
  var form: Form?

  var response: HTTPResponse {
    .content("text/html; charset=utf-8", Array(text.utf8)).with("Cache-Control", "no-store")
      .with("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
      .with("Referrer-Policy", "no-referrer")
  }

  private var text: String {
    """
    <!DOCTYPE html>
    <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title></head>
    <body><h1>\(escaped(title))</h1>
    \(paragraphs.map { "<p>\(escaped($0))</p>" }.joined(separator: "\n"))
    \(link.map { "<p><a href=\"\(escaped($0))\">\(escaped($0))</a></p>" } ?? "")
    \(form?.text ?? "")
    </body></html>

    """
  }
}

/// A text within an element or an attribute in double quotes.
private func escaped(_ text: String) -> String {
  let entities: [Character: String] = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;"]
  return text.map { entities[$0] ?? String($0) }.joined()
}
