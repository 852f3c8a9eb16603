import JSON
import Testing

@testable import ControlAPI

@Suite("OpenRPC document")
struct DocumentTests {
  private static let written = OpenRPC.document(of: MethodTable.all, version: "1").bytes
  private static let document = Result { try JSON(parsing: written) }

  @Test("the document for root has at most 110 KB")
  func size() {
    #expect(Self.written.count <= 110_000)
  }

  @Test("every parameter and member has a one-line description")
  func descriptions() throws {
    for method in MethodTable.all {
      Self.check(.object(method.properties), method.name)
      Self.check(method.resultSchema, method.name)
    }
    for method in try Self.document.get()["methods"]?.array ?? [] {
      for parameter in method["params"]?.array ?? [] {
        #expect(parameter["description"]?.string?.isEmpty == false, "\(method["name"]?.string ?? "")")
      }
    }
  }

  private static func check(_ schema: Schema, _ place: String) {
    switch schema {
    case .object(let properties):
      for property in properties {
        let place = "\(place) \(property.name)"
        #expect(!property.meaning.isEmpty && !property.meaning.contains("\n"), "\(place)")
        #expect(property.meaning.utf8.count <= 110 && !property.meaning.hasSuffix("."), "\(place)")
        check(property.schema, place)
      }
    case .map(let schema), .array(let schema), .nullable(let schema): check(schema, place)
    case .either(let one, let other):
      check(one, place)
      check(other, place)
    case .named(let named): check(named.schema, place)
    case .text, .choice, .instant, .integer, .number, .boolean, .confirmation, .anything: break
    }
  }

  @Test(
    "the example of every method fits its schema and parses as a call"
  )
  func examples() throws {
    for method in MethodTable.all {
      let (params, result) = method.exampleJSON
      #expect(throws: Never.self, "\(method.name)") { try method.init(parsing: .object(params)) }
      #expect(method.resultSchema.accepts(result), "\(method.name) \(result.text.prefix(400))")
    }
  }

  @Test("error references of methods and common errors resolve")
  func errors() throws {
    let errors = try #require(Self.document.get()["components"]?["errors"]?.object)
    let common = try #require(Self.document.get()["x-common-errors"]?.array)
    let listed = (try Self.document.get()["methods"]?.array ?? []).flatMap { $0["errors"]?.array ?? [] }
    for reference in common + listed {
      let reason = try #require(reference["$ref"]?.string?.split(separator: "/").last.map(String.init))
      #expect(errors[reason]?["data"]?["reason"] == .string(reason))
      #expect(errors[reason]?["x-reserved"] == nil, "\(reason)")
    }
    #expect(
      errors["NO_CONNECTIVITY"]?["x-causes"] == [
        "dns", "refused", "timeout", "tls", "broken-off", "not-allowed", "courier-unavailable",
      ]
    )
    #expect(errors["NOT_FOUND"]?["x-exit-code"] == 5)
  }
}
