package import Configuration

extension ServiceStatusReport {
  /// What an owner has.
  package struct Owner: ControlObject {
    package let uid: UInt32
    package let isConfigured: Bool
    package let geography: Open<Geography>?
    package let paired: Int
    package let pending: Int
    package let isPolling: Bool

    package init(
      uid: UInt32,
      isConfigured: Bool,
      geography: Open<Geography>?,
      paired: Int,
      pending: Int,
      isPolling: Bool
    ) {
      (self.uid, self.isConfigured, self.geography) = (uid, isConfigured, geography)
      (self.paired, self.pending, self.isPolling) = (paired, pending, isPolling)
    }

    package static let shape = Shape(
      Owner.init(uid:isConfigured:geography:paired:pending:isPolling:),
      .required("uid", \.uid, "the caller"),
      .required("configured", \.isConfigured, "a geography is configured"),
      .optional("geo", \.geography, "which one, or which one will be at the first use"),
      .required("paired", \.paired, "how many accounts are in force"),
      .required("pending", \.pending, "how many pushes wait for a decision"),
      .required("polling", \.isPolling, "pushes are fetched")
    )
  }
}
