import Text

/// An HTML fragment of elements and escaped texts.
///
/// External input can only become a text or an attribute value, never markup.
struct HTML: Sendable, ExpressibleByStringInterpolation {
  /// The HTML source.
  let source: String

  private init(source: String) { self.source = source }

  /// Creates a text; markup is escaped, and characters that control the text direction are removed.
  init(_ text: String) { source = Self.escaped(DisplayText.lines(text)) }

  init(stringLiteral text: String) { self.init(text) }

  typealias Attributes = KeyValuePairs<StaticString, String?>

  /// Returns an element with its content; an attribute with the value `nil` is omitted.
  static func element(_ name: StaticString, _ attributes: Attributes, of content: [HTML]) -> HTML {
    let inside = content.map(\.source).joined()
    return HTML(source: "<\(name)\(written(attributes))>\(inside)</\(name)>")
  }

  static func element(_ name: StaticString, of content: [HTML]) -> HTML { element(name, [:], of: content) }

  static func element(_ name: StaticString, _ attributes: Attributes, _ content: HTML...) -> HTML {
    element(name, attributes, of: content)
  }

  static func element(_ name: StaticString, _ content: HTML...) -> HTML { element(name, [:], of: content) }

  /// Returns an element that never has content in HTML, such as `input`.
  static func void(_ name: StaticString, _ attributes: Attributes) -> HTML {
    HTML(source: "<\(name)\(written(attributes))>")
  }

  /// Returns a page from the contents of its `head` and `body` elements.
  static func document(_ head: [HTML], _ body: [HTML]) -> [UInt8] {
    let page = element("html", ["lang": "en"], element("head", of: head), element("body", of: body))
    return Array("<!DOCTYPE html>\n\(page.source)\n".utf8)
  }

  private static func written(_ attributes: Attributes) -> String {
    attributes.map { name, value in value.map { " \(name)=\"\(escaped($0))\"" } ?? "" }.joined()
  }

  /// Escapes by Unicode scalar: `<` with a combining accent is one character in Swift, but two in a browser.
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
