import HTTPServer

/// A page for a person: texts and one form, without script or style.
struct HTMLPage {
  /// A field of a form.
  struct Field {
    let name: String
    var label: String?
    var kind = "text"
    var value = ""
  }

  /// One of several values for the same name.
  struct Choice {
    let name: String
    let value: String
    let label: String
  }

  /// What a form can be sent with.
  struct Button {
    let label: String
    var name: String?
    var value = ""
  }

  /// What a person fills in.
  struct Form {
    let action: String
    var method = "post"
    let fields: [Field]
    var choices: [Choice] = []
    let buttons: [Button]
  }

  let title: String
  var paragraphs: [String] = []
  /// An address to open besides.
  var link: String?
  var form: Form?

  var response: HTTPResponse {
    let headers = HTTPHeaders([
      ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
      ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
      ("Referrer-Policy", "no-referrer"),
    ])
    return HTTPResponse(status: 200, headers: headers, body: Array(text.utf8))
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

extension HTMLPage.Form {
  fileprivate var text: String {
    """
    <form method="\(method)" action="\(escaped(action))">
    \((fields.map(\.text) + choices.map(\.text)).joined(separator: "\n"))
    \(buttons.map(\.text).joined(separator: "\n"))
    </form>
    """
  }
}

extension HTMLPage.Field {
  fileprivate var text: String {
    let input = "<input type=\"\(kind)\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
    return label.map { "<p><label>\(escaped($0)) \(input)</label></p>" } ?? input
  }
}

extension HTMLPage.Choice {
  fileprivate var text: String {
    let input = "<input type=\"radio\" name=\"\(escaped(name))\" value=\"\(escaped(value))\">"
    return "<p><label>\(input) \(escaped(label))</label></p>"
  }
}

extension HTMLPage.Button {
  fileprivate var text: String {
    let attributes = name.map { " name=\"\(escaped($0))\" value=\"\(escaped(value))\"" } ?? ""
    return "<button type=\"submit\"\(attributes)>\(escaped(label))</button>"
  }
}

/// A text within an element or an attribute in double quotes.
private func escaped(_ text: String) -> String {
  var result = ""
  for character in text.unicodeScalars {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.unicodeScalars.append(character)
    }
  }
  return result
}
