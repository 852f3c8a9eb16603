import HTTPServer
import Testing

@testable import Sandbox

@Suite("HTML escaping")
struct HTMLTests {
  /// Hostile names.
  ///
  /// Some accents combine with markup characters.
  private static let names = [
    #"<script>alert(1)</script>"#, #"" onfocus="alert(1)"#, "' autofocus x='", "&lt;b&gt;",
    "</title></textarea>",
    "\"\u{301} onfocus=alert(1) x=\"", "<\u{338}b>", ">\u{20D2}", "&\u{301}quot;", "<!--", "]]>",
  ]

  private static let markup: Set<Unicode.Scalar> = ["<", ">", "\"", "'"]

  @Test("text contains no markup", arguments: names)
  func text(_ name: String) {
    let source = HTML(name).source
    #expect(source.unicodeScalars.allSatisfy { !Self.markup.contains($0) })
    #expect(Self.read(source) == name)
  }

  @Test("an attribute value cannot end its attribute", arguments: names)
  func value(_ name: String) {
    let source = HTML.void("input", ["name": "a", "value": name, "form": nil]).source
    let (head, tail) = (#"<input name="a" value=""#, #"">"#)
    #expect(source.unicodeScalars.starts(with: head.unicodeScalars))
    let inside = String(source.unicodeScalars.dropFirst(head.unicodeScalars.count).dropLast(tail.count))
    #expect(inside.unicodeScalars.allSatisfy { !Self.markup.contains($0) })
    #expect(Self.read(inside) == name)
    #expect(source.hasSuffix(tail))
  }

  @Test("sign-on pages contain no markup from parameters", arguments: names)
  func page(_ name: String) {
    let fields = [HTMLPage.Field(name: "user", label: name, value: name)]
    let buttons = [HTMLPage.Button(label: name, name: "action", value: name)]
    let form = HTMLPage.Form(action: name, fields: fields, buttons: buttons)
    let page = HTMLPage(title: name, paragraphs: [name], link: name, form: form).response.body
    let plain = HTMLPage(
      title: "x",
      paragraphs: ["x"],
      link: "x",
      form: HTMLPage.Form(
        action: "x",
        fields: [HTMLPage.Field(name: "user", label: "x", value: "x")],
        buttons: [HTMLPage.Button(label: "x", name: "action", value: "x")]
      )
    ).response.body
    func marks(_ page: [UInt8]) -> [Unicode.Scalar] {
      String(decoding: page, as: UTF8.self).unicodeScalars.filter { Self.markup.contains($0) }
    }
    #expect(marks(page) == marks(plain))
  }

  @Test("direction characters are removed, and line breaks stay")
  func direction() {
    #expect(HTML("ann\u{202E}nna\u{0}\u{1B}[1m").source == "annnna[1m")
    #expect(HTML("one\ntwo").source == "one\ntwo")
  }

  @Test("elements are closed, and attributes without a value are omitted")
  func elements() {
    let html = HTML.element(
      "p",
      ["class": nil, "id": "a"],
      "one \(1 < 2)",
      .element("b"),
      .element("i", "&")
    )
    #expect(html.source == #"<p id="a">one true<b></b><i>&amp;</i></p>"#)
  }

  private static func read(_ source: String) -> String {
    let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")]
    var rest = Array(source.unicodeScalars)[...]
    var text = String.UnicodeScalarView()
    while let first = rest.first {
      let entity = entities.first { rest.starts(with: $0.0.unicodeScalars) }
      text += entity.map { $0.1.unicodeScalars } ?? String.UnicodeScalarView([first])
      rest = rest.dropFirst(entity?.0.unicodeScalars.count ?? 1)
    }
    return String(text)
  }
}
