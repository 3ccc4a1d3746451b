           03 BAQ-APINAME                  PIC X(255)
              VALUE 'Books'.
           03 BAQ-APINAME-LEN              PIC 9(9) COMP-5 SYNC
              VALUE 5.
           03 BAQ-APIPATH                  PIC X(255)
              VALUE '%2Fbooks%2F%7Bisbn%7D'.
           03 BAQ-APIPATH-LEN              PIC 9(9) COMP-5 SYNC
              VALUE 21.
           03 BAQ-APIMETHOD                PIC X(255)
              VALUE 'DELETE'.
           03 BAQ-APIMETHOD-LEN            PIC 9(9) COMP-5 SYNC
              VALUE 6.
