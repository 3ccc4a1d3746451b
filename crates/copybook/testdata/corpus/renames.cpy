       01  PERSON.
           05  NAME-PART.
               10  FIRST-NAME            PIC X(10).
               10  MIDDLE-NAME           PIC X(8).
               10  LAST-NAME             PIC X(12).
           05  PHONE.
               10  AREA-CODE             PIC 9(4).
               10  LINE-NUMBER           PIC 9(8).
           66  FULL-NAME     RENAMES FIRST-NAME THRU LAST-NAME.
           66  GIVEN-NAMES   RENAMES FIRST-NAME THROUGH MIDDLE-NAME.
           66  CONTACT       RENAMES LAST-NAME IN NAME-PART THRU PHONE.
           66  PHONE-NUMBER  RENAMES PHONE.
       01  NEXT-RECORD                   PIC X.
