       01  POSTAL-ADDRESS.
           05  STREET                    PIC X(30).
           05  CITY.
               10  POSTCODE              PIC 9(5).
               10  CITY-NAME             PIC X(20).
       01  CUSTOMER-WITH-ADDRESSES.
           05  CA-NAME                   PIC X(20).
           05  CA-HOME                   SAME AS POSTAL-ADDRESS.
           05  CA-CITY                   SAME AS CITY OF POSTAL-ADDRESS.
           05  CA-END                    PIC X.
