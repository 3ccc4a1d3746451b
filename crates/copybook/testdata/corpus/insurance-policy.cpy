       01  DB2-POLICY.
           03 DB2-POLICYTYPE           PIC X.
           03 DB2-POLICYNUMBER         PIC 9(10).
           03 DB2-POLICY-COMMON.
              05 DB2-ISSUEDATE         PIC X(10).
              05 DB2-EXPIRYDATE        PIC X(10).
              05 DB2-LASTCHANGED       PIC X(26).
              05 DB2-BROKERID          PIC S9(9) COMP.
              05 DB2-PAYMENT           PIC S9(9) COMP.
           03 DB2-ENDOW-FIXED.
              05 DB2-E-WITHPROFITS     PIC X.
              05 DB2-E-TERM-SINT       PIC S9(4) COMP.
              05 DB2-E-SUMASSURED-INT  PIC S9(9) COMP.
              05 DB2-E-PADDING-LEN     PIC S9(4) COMP.
              05 DB2-E-PADDINGDATA.
                 49 DB2-E-PADDINGL     PIC S9(4) COMP.
                 49 DB2-E-PADDINGT     PIC X(3900).
