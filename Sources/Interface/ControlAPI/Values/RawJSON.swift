package import JSON

/// A value that is JSON already: written once, however many times it is sent.
package struct RawJSON: ControlValue {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package init(_ value: some ControlValue) { bytes = value.serialized }

  package static let schema = Schema.anything

  package func write(to writer: inout JSONWriter) { writer.write(raw: bytes) }

  package init(reading json: JSON) { bytes = json.serialized }
}
