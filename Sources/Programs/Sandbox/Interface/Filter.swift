import JSON
import Time

/// A simple SCIM filter for lists: `status eq "ACTIVE" and type eq "MOBILE"`.
struct Filter {
  private struct Term {
    let attribute: String
    let comparison: String
    let value: String
  }

  private var terms: [Term] = []

  /// Reads a filter over these attributes.
  ///
  /// Attribute names are case-insensitive. Without a text, every object passes.
  init(_ text: String?, over attributes: Set<String>) throws(ErrorResponse) {
    guard var rest = text?[...] else { return }
    let term = #/\s*(\S+)\s+(eq|gt|ge|lt|le)\s+("(?:[^"\\]|\\.)*")\s*/#.ignoresCase()
    while rest.utf8.count <= 1024, let match = rest.prefixMatch(of: term) {
      let attribute = match.1.lowercased()
      guard attributes.contains(attribute), let value = try? JSON(parsing: String(match.3)).string else {
        break
      }
      terms.append(Term(attribute: attribute, comparison: match.2.lowercased(), value: value))
      rest = rest[match.range.upperBound...]
      guard let conjunction = rest.prefixMatch(of: #/and\s/#.ignoresCase()) else { break }
      rest = rest[conjunction.range.upperBound...]
      // Leave a trailing `and` unread, so that the filter is invalid.
      if rest.isEmpty { rest = "and" }
    }
    guard !terms.isEmpty, rest.isEmpty else {
      let names = attributes.sorted().joined(separator: ", ")
      throw .invalid("filter", #"must have the form attribute eq "…" for the attributes \#(names)"#)
    }
  }

  /// Returns true if an object passes; if an attribute has several values, one of them must match.
  func passes(_ values: (String) -> [String]) -> Bool {
    terms.allSatisfy { term in values(term.attribute).contains { Self.holds($0, term.comparison, term.value) }
    }
  }

  /// Compares two times chronologically, and other texts case-insensitively.
  private static func holds(_ found: String, _ comparison: String, _ wanted: String) -> Bool {
    if let found = Timestamp(text: found), let wanted = Timestamp(text: wanted) {
      return compare(found, comparison, wanted)
    }
    return compare(found.lowercased(), comparison, wanted.lowercased())
  }

  private static func compare<Value: Comparable>(_ found: Value, _ comparison: String, _ wanted: Value)
    -> Bool
  {
    switch comparison {
    case "eq": found == wanted
    case "gt": found > wanted
    case "ge": found >= wanted
    case "lt": found < wanted
    default: found <= wanted
    }
  }
}
