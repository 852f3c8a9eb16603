import JSON
import Time

/// A SCIM filter of the simple form that lists take: `status eq "ACTIVE" and type eq "MOBILE"`.
struct Filter {
  enum Operator: String {
    case equal = "eq"
    case greater = "gt"
    case greaterOrEqual = "ge"
    case less = "lt"
    case lessOrEqual = "le"
  }

  private struct Term {
    let attribute: String
    let comparison: Operator
    let value: String
  }

  private var terms: [Term] = []

  private static let maximumLength = 1024

  /// Reads a filter over these attributes, whose names count in any case; without a text everything passes.
  init(_ text: String?, over attributes: Set<String>) throws(Refusal) {
    guard let text else { return }
    guard text.utf8.count <= Self.maximumLength else { throw Self.refusal(attributes) }
    var rest = text[...]
    while true {
      guard let attribute = Self.word(&rest)?.lowercased(), attributes.contains(attribute),
        let comparison = Self.word(&rest).flatMap({ Operator(rawValue: $0.lowercased()) }),
        let value = Self.quoted(&rest)
      else { throw Self.refusal(attributes) }
      terms.append(Term(attribute: attribute, comparison: comparison, value: value))
      guard let conjunction = Self.word(&rest) else { return }
      guard conjunction.lowercased() == "and" else { throw Self.refusal(attributes) }
    }
  }

  /// Whether something passes, by the values of its attributes, of which one must do.
  func passes(_ values: (String) -> [String]) -> Bool {
    terms.allSatisfy { term in values(term.attribute).contains { Self.holds($0, term.comparison, term.value) }
    }
  }

  /// Instants are compared as such, and texts without regard to case.
  private static func holds(_ found: String, _ comparison: Operator, _ wanted: String) -> Bool {
    if let found = Timestamp(text: found), let wanted = Timestamp(text: wanted) {
      return compare(found.milliseconds, comparison, wanted.milliseconds)
    }
    return compare(found.lowercased(), comparison, wanted.lowercased())
  }

  private static func compare<Value: Comparable>(_ found: Value, _ comparison: Operator, _ wanted: Value)
    -> Bool
  {
    switch comparison {
    case .equal: found == wanted
    case .greater: found > wanted
    case .greaterOrEqual: found >= wanted
    case .less: found < wanted
    case .lessOrEqual: found <= wanted
    }
  }

  private static func word(_ rest: inout Substring) -> String? {
    rest = rest.drop { $0 == " " }
    let word = rest.prefix { $0 != " " }
    rest = rest.dropFirst(word.count)
    return word.isEmpty ? nil : String(word)
  }

  /// A text in quotation marks, with JSON's escapes.
  private static func quoted(_ rest: inout Substring) -> String? {
    rest = rest.drop { $0 == " " }
    guard rest.first == "\"" else { return nil }
    var end = rest.index(after: rest.startIndex)
    while end < rest.endIndex, rest[end] != "\"" {
      end = rest.index(after: end)
      if rest[rest.index(before: end)] == "\\", end < rest.endIndex { end = rest.index(after: end) }
    }
    guard end < rest.endIndex else { return nil }
    let literal = rest[...end]
    rest = rest[rest.index(after: end)...]
    return try? JSON(parsing: String(literal)).string
  }

  private static func refusal(_ attributes: Set<String>) -> Refusal {
    let names = attributes.sorted().joined(separator: ", ")
    return .invalid("filter", #"must have the form attribute eq "…" for the attributes \#(names)"#)
  }
}
