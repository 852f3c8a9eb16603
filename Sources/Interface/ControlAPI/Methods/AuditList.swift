package import JSON
package import JSONRPC

/// Lists what was done, the newest first.
package struct AuditList: ControlMethod {
  package static let name = "audit.list"
  package static let access = AccessClass.read
  package static let summary = "lists what was done, the newest first: by the caller, for root by everybody"
  package static let parameters: [Property] = Page.parameters

  package struct Answer: ControlValue {
    package static let schema = Schema.object([.required("entries", .array(AuditEntry.schema))])

    package let entries: [AuditEntry]

    package var json: JSON { ["entries": .array(entries.map(\.json))] }

    package init(entries: [AuditEntry]) { self.entries = entries }
  }

  /// Which part of the list.
  package let page: Page

  package init(_ parameters: Parameters) throws(RPCError) { page = Page(parameters) }
}
