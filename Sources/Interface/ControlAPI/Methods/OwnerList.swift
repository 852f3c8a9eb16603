package struct OwnerList: ControlMethod {
  package static let name = "owner.list"
  package static let access = AccessClass.service
  package static let summary = "lists everybody who has something here"
  package static let parameters = Shape(OwnerList.init)

  package struct Answer: ControlObject {
    package let owners: [Owner]

    package init(owners: [Owner]) { self.owners = owners }

    package static let shape = Shape(
      Answer.init(owners:),
      .required("owners", \.owners, "the owners")
    )
  }

  package init() {}
}
