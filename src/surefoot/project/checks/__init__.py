"""What can be found wrong with a project before anything is run, one module a part of the file.

Each check takes a draft and yields problems; none imports or runs code of the project.
"""
