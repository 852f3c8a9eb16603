package import JSON

/// One of a few texts: what a request may choose from, and what a result tells by a name.
package protocol ControlChoice: ControlValue, RawRepresentable, CaseIterable, Equatable
where RawValue == String {}

extension ControlChoice {
  package static var schema: Schema { .choice(allCases.map(\.rawValue)) }

  package func write(to writer: inout JSONWriter) { writer.write(rawValue) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self = try json.string.flatMap(Self.init(rawValue:)).readable
  }
}

/// A choice in a result: a later version of the daemon may tell what this one does not know.
package enum Open<Choice: ControlChoice>: ControlValue, Equatable {
  case known(Choice)
  case unknown(String)

  package init(name: String) { self = Choice(rawValue: name).map(Open.known) ?? .unknown(name) }

  /// What it is, if this version knows it.
  package var choice: Choice? {
    if case .known(let choice) = self { choice } else { nil }
  }

  /// The text that stands for it.
  package var name: String {
    switch self {
    case .known(let choice): choice.rawValue
    case .unknown(let name): name
    }
  }

  package static var schema: Schema { Choice.schema }

  package func write(to writer: inout JSONWriter) { writer.write(name) }

  package init(reading json: JSON) throws(UnreadableValue) {
    self.init(name: try String(reading: json))
  }
}

/// Whether it is there, known, and this one.
package func == <Choice>(left: Open<Choice>?, right: Choice) -> Bool { left?.choice == right }

package func != <Choice>(left: Open<Choice>?, right: Choice) -> Bool { left?.choice != right }
