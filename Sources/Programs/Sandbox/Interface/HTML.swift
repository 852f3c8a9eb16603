import Text

/// A piece of HTML, which is made of elements only: what comes from outside can be a text or a value, and no markup.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// As it is sent.
  let source: String

  private init(source: String) { self.source = source }

  /// A text, whatever it says, without what steers the direction of text.
  init(_ text: String) { source = Self.escaped(DisplayText.lines(text)) }

  init(stringLiteral text: String) { self.init(text) }

  typealias Attributes = KeyValuePairs<StaticString, String?>

  /// An element with what is in it; an attribute without a value is left out.
  static func element(_ name: StaticString, _ attributes: Attributes, of content: [HTML]) -> HTML {
    let inside = content.map(\.source).joined()
    return HTML(source: "<\(name)\(written(attributes))>\(inside)</\(name)>")
  }

  static func element(_ name: StaticString, of content: [HTML]) -> HTML { element(name, [:], of: content) }

  static func element(_ name: StaticString, _ attributes: Attributes, _ content: HTML...) -> HTML {
    element(name, attributes, of: content)
  }

  static func element(_ name: StaticString, _ content: HTML...) -> HTML { element(name, [:], of: content) }

  /// An element that has no content by the rules of HTML, as `input`.
  static func void(_ name: StaticString, _ attributes: Attributes) -> HTML {
    HTML(source: "<\(name)\(written(attributes))>")
  }

  /// A whole page from what is in its `html` element.
  static func document(_ head: [HTML], _ body: [HTML]) -> [UInt8] {
    let page = element("html", ["lang": "en"], element("head", of: head), element("body", of: body))
    return Array("<!DOCTYPE html>\n\(page.source)\n".utf8)
  }

  private static func written(_ attributes: Attributes) -> String {
    attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
  }

  /// Scalar by scalar: a mark with an accent is one character to Swift, and a mark and an accent to a browser.
  private static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;".unicodeScalars
      case "<": result += "&lt;".unicodeScalars
      case ">": result += "&gt;".unicodeScalars
      case "\"": result += "&quot;".unicodeScalars
      case "'": result += "&#39;".unicodeScalars
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
