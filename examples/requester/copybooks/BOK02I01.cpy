       01 BAQ-API-INFO-BOK02I01.
           03 BAQ-API-INFO-EYE             PIC X(4) VALUE 'BAQA'.
           03 BAQ-API-INFO-LENGTH          PIC 9(9) COMP-5 SYNC
              VALUE 1311.
           03 BAQ-API-INFO-VERSION         PIC 9(9) COMP-5 SYNC
              VALUE 2.
           03 BAQ-API-INFO-RESERVED01      PIC 9(9) COMP-5 SYNC
              VALUE 0.
           03 BAQ-API-NAME                 PIC X(255)
              VALUE 'Books'.
           03 BAQ-API-NAME-LEN             PIC 9(9) COMP-5 SYNC
              VALUE 5.
           03 BAQ-API-PATH                 PIC X(255)
              VALUE '%2Fbooks%2F%7Bisbn%7D'.
           03 BAQ-API-PATH-LEN             PIC 9(9) COMP-5 SYNC
              VALUE 21.
           03 BAQ-API-METHOD               PIC X(255)
              VALUE 'DELETE'.
           03 BAQ-API-METHOD-LEN           PIC 9(9) COMP-5 SYNC
              VALUE 6.
           03 BAQ-API-OPERATION            PIC X(255)
              VALUE 'removeBook'.
           03 BAQ-API-OPERATION-LEN        PIC 9(9) COMP-5 SYNC
              VALUE 10.
           03 BAQ-API-MEDIA-TYPE           PIC X(255)
              VALUE ' '.
           03 BAQ-API-MEDIA-TYPE-LEN       PIC 9(9) COMP-5 SYNC
              VALUE 0.
