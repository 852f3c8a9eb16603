import HTTPServer

/// A page for a user: texts and one form, without scripts and styles.
struct HTMLPage {
  /// A field of a form; a field of the kind `radio` is one of several values for the same name.
  struct Field {
    let name: String
    var label: String?
    var kind = "text"
    var value = ""

    /// Returns the fields for a sign-on, and a hidden field with the context.
    static func signOn(_ name: String, _ value: String) -> [Field] {
      [
        Field(name: name, kind: "hidden", value: value),
        Field(name: "username", label: "User name"),
        Field(name: "password", label: "Password", kind: "password"),
      ]
    }

    fileprivate var html: HTML {
      let input = HTML.void("input", ["type": kind, "name": name, "value": value])
      guard let label = label.map({ HTML($0) }) else { return input }
      return .element(
        "p",
        .element("label", of: kind == "radio" ? [input, " ", label] : [label, " ", input])
      )
    }
  }

  struct Button {
    let label: String
    var name: String?
    var value = ""

    fileprivate var html: HTML {
      let attributes: HTML.Attributes = [
        "type": "submit", "name": name, "value": name == nil ? nil : value,
      ]
      return .element("button", attributes, HTML(label))
    }
  }

  struct Form {
    let action: String
    var method = "post"
    let fields: [Field]
    let buttons: [Button]

    fileprivate var html: HTML {
      .element("form", ["method": method, "action": action], of: fields.map(\.html) + buttons.map(\.html))
    }
  }

  let title: String
  var paragraphs: [String] = []
  var link: String?
  var form: Form?

  var response: HTTPResponse {
    .content("text/html; charset=utf-8", bytes).with("Cache-Control", "no-store")
      .with("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
      .with("Referrer-Policy", "no-referrer")
  }

  private var bytes: [UInt8] {
    let link = link.map { HTML.element("p", .element("a", ["href": $0], HTML($0))) }
    let texts = paragraphs.map { HTML.element("p", HTML($0)) }
    return HTML.document(
      [.void("meta", ["charset": "utf-8"]), .element("title", HTML(title))],
      [.element("h1", HTML(title))] + texts + [link, form?.html].compactMap(\.self)
    )
  }
}
