package import JSONRPC

package struct AuditList: ControlMethod {
  package static let name = "audit.list"
  package static let access = AccessClass.read
  package static let summary = "lists what was done, the newest first: by the caller, for root by everybody"
  package static let errors: [RPCError] = [.notFound]
  package static let parameters = Shape(
    AuditList.init(page:),
    .inline(\.page)
  )
  package static let envelope: Shape<[AuditEntry]>? = .member("entries", "what was done, the newest first")
  package static var example: Example<Self> { Example(AuditList(page: Page(limit: 1)), [Samples.entry]) }

  package let page: Page

  package init(page: Page = Page()) { self.page = page }
}
